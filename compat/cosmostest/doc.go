// Package cosmostest is a multi-region Azure Cosmos DB account that anyone can break on purpose.
//
// One [Account] value describes an account (regions, write regions, containers, physical partitions) and serves it in
// two ways with the same code:
//
//   - in process: [Account.Transport] is an azcore policy.Transporter and an http.RoundTripper. It starts no goroutine,
//     holds no lock across a wait, honours the context of the request and takes time from the time package, so that it
//     runs in a testing/synctest bubble and a two-minute outage takes a millisecond.
//   - on the wire: after [Account.Listen] every region and the global endpoint have a loopback listener of their own that
//     speaks HTTP/1.1 and HTTP/2 over TLS. [Account.Stop] really closes it and [Account.Start] reopens the same port.
//     Clients in other languages can use it, too.
//
// The same requests at the same times get the same answers, and an account costs tens of microseconds: make one for each
// test. Nothing happens in the background. What is due by time (a write that reaches another region, a second that brings
// new throughput, an item that expires) has happened when somebody looks.
//
// # Breaking it
//
// [Account.SetFaults] and [Account.AddFault] install faults; the first one that matches a request answers it in place of
// the account. A [Fault] selects requests by region, [Operation], container, partition, time, count and chance, and is an
// HTTP answer (status, sub-status, headers, body; [NamedFault] knows the service's usual ones), a [TransportFault] from
// [Refused] to [GoAway], or just slowness, of the first byte or of the body. A [FaultRule] switches and counts it.
// [Account.Requests] tells what arrived where, [Account.Items] what became of it:
//
//	acct := cosmostest.New(t, &cosmostest.Config{Containers: []cosmostest.Container{{Database: "db", ID: "c"}}})
//	acct.SetFaults(cosmostest.Fault{Region: "East US", Status: 503})
//	cred, _ := azcosmos.NewKeyCredential(cosmostest.DefaultKey)
//	client, _ := azcosmos.NewClientWithKey(acct.Endpoint(), cred, &azcosmos.ClientOptions{
//		ClientOptions: azcore.ClientOptions{Transport: acct.Transport()},
//	})
//
// # What it does by itself
//
// Replication. A write is in its region at once and in the others after [Config.ReplicationLag]
// ([Account.SetReplicationLag] for two regions; [Account.PauseReplication] and [Account.ResumeReplication]). Session
// tokens carry the log sequence numbers of partitions, so that a read which is ahead of its region gets a 404/1002 until
// the write has arrived. The consistency levels of the account and of requests count: strong writes are everywhere at
// once, bounded reads see everything, session reads obey their tokens, and the others may be stale. Databases, containers
// and offers are the same everywhere at any time.
//
// Partitions. [Account.Split] and [Account.Merge] change the physical partitions of a container under the eyes of its
// clients: items move by the real partition key hash, the old ids answer 410/1002, the list of partition key ranges names
// the parents, and session tokens, continuations and change feed positions of the old partitions stay good.
//
// Throughput. A container with [Container.Throughput] has so many request units per second and region, in equal shares for
// its partitions. A partition that has spent its share answers 429/3200 with x-ms-retry-after-ms, until a second begins
// that has something left. A point read costs 1 for each KiB of the item that is begun, a create or a delete 5.5, a
// replace, upsert or patch 10.5, a page of a query 2.5 and 0.1 for each result and 1 for each further KiB of it, anything
// else 1; reads with strong or bounded consistency cost twice as much. A failed operation costs 1, a throttled one nothing.
//
// Topology. [Account.Failover] moves the write region, [Account.AddRegion] and [Account.RemoveRegion] change the list,
// and account reads tell of it after [Config.TopologyDelay]; [Account.Stop] takes a region off the network and
// [Account.Start] lets it catch up. A failover from a region that is stopped loses what that has not sent, and
// [Account.Conflicts] has it when the region is back. With [Config.PPAF] every partition has a write region of its own,
// see [Config.StrictPPAF] and [Account.FailoverPartition]. [Account.Update] changes everything at once.
//
// Several write regions. Each of them takes writes; those beside the hub answer 403/3 to a write without the header
// x-ms-cosmos-allow-tentative-writes, as the service does. Where two of them write an item without knowing of each other,
// a deletion wins, else the higher [Container.ConflictPath], else the later write, and all regions come to the same. (The
// service lets the hub decide; here each region decides by the same rule.) Containers whose conflict resolution policy is
// "Custom" keep the earlier write and list the other one in their conflict feed.
//
// Time to live. Items expire by [Container.DefaultTTL] and their own "ttl".
//
// # What it serves
//
// The account read; databases, containers, partition key ranges and offers; items (create, read, upsert, replace,
// patch, delete, queries, change feed, transactional batches, conflicts) and stored procedure execution, which returns
// the parameters. Queries know SELECT *, paths, TOP, VALUE, COUNT, SUM, MIN, MAX and AVG, WHERE with comparisons, IN,
// AND, OR, NOT, IS_NULL and IS_DEFINED, ORDER BY one path, and OFFSET LIMIT; what a client would have to merge from
// several partitions gets a 400, as from the service's gateway. Requests must be signed with the account's key or carry a
// bearer token: a request that a policy re-routed wrongly or sent unsigned is answered 401. Items live in the physical
// partition that the hash says, unless [Account.Place] put their key elsewhere.
//
// It is a test double and no database: nothing is durable, indexes, triggers, joins and functions do not exist, and a
// query that it cannot answer gets a 400 that names the clause.
//
// # Others
//
// What comparable tools have, as far as their documentation and source say; a question mark is "not known". Rust is the
// in-memory emulator inside the Rust driver (with its host process for other languages), Linux the Docker image of the
// official emulator, vNext its successor.
//
//	                                   cosmostest       Rust              Linux  vNext
//	in the process of the test         yes              yes               no     no
//	on real ports                      TLS, 1.1 and h2  h2c               TLS    plain, TLS
//	virtual time                       yes              yes               no     no
//	signatures and tokens checked      yes              no (planned)      yes    ?
//	several regions                    yes              yes               no     ?
//	replication lag, pause, resume     yes              yes               no     ?
//	404/1002 from a session token      yes              yes               ?      ?
//	consistency levels have effect     yes              ?                 no     ?
//	split and merge at run time        yes              yes               ?      ?
//	continuations survive a split      yes              ?                 ?      ?
//	410/1007 while a split goes on     as a fault       yes               ?      ?
//	throughput and 429/3200            yes              yes               ?      no (planned)
//	write region moves                 yes              yes (not host)    no     ?
//	region added, removed              yes              yes (not host)    no     ?
//	region stopped and back            yes              no (planned)      no     ?
//	writes lost by a failover          yes              ?                 no     ?
//	write region per partition         yes              the flag          no     ?
//	conflicts of write regions         yes              ?                 no     ?
//	429/3075, full replication buffer  as a fault       yes               no     ?
//	faults by operation and region     yes              in the client     ?      ?
//	transport faults                   10 kinds         2, in the client  ?      ?
//	time to live                       yes              ?                 ?      yes
//	change feed                        yes              ?                 ?      yes
//	patch, batch                       yes              ?                 ?      yes
//	aggregates, ORDER BY               of one path      ?                 ?      yes
//	joins                              no               ?                 yes    yes
//	stored procedures                  an echo          ?                 ?      no
//	data survives a restart            no               no                ?      yes
//	other APIs than NoSQL              no               no                yes    no
package cosmostest
