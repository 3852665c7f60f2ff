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
// # Breaking it
//
// [Account.SetFaults] installs a list of faults; the first one that matches a request answers it in place of the
// account. A fault is an HTTP answer (status, sub-status, headers, body; [NamedFault] knows the service's usual ones), a
// transport failure ([Refused], [DNS], [TLS], [Reset], [EOF], [Blackhole], [Truncated], [ResetMidBody]) or just a delay.
// [Account.Update] changes the topology. [Account.Requests] tells what arrived where, [Account.Items] what became of it:
//
//	acct := cosmostest.New(t, &cosmostest.Config{Containers: []cosmostest.Container{{Database: "db", ID: "c"}}})
//	acct.SetFaults(cosmostest.Fault{Region: "East US", Status: 503})
//	cred, _ := azcosmos.NewKeyCredential(cosmostest.DefaultKey)
//	client, _ := azcosmos.NewClientWithKey(acct.Endpoint(), cred, &azcosmos.ClientOptions{
//		ClientOptions: azcore.ClientOptions{Transport: acct.Transport()},
//	})
//
// # What it serves
//
// The account read; databases, containers, partition key ranges and offers; items (create, read, upsert, replace,
// patch, delete, queries, change feed, transactional batches) and stored procedure execution. Requests must be signed
// with the account's key or carry a bearer token, as with the service: a request that a policy re-routed wrongly or
// sent unsigned is answered 401. Items live in the physical partition that the real partition key hash says, unless
// [Account.Place] put their key elsewhere.
//
// It is a test double and no database: nothing is durable, indexes and triggers do not exist, and a query that it
// cannot answer gets a 400 that names the clause.
package cosmostest
