// Package conformance is the specification of the policies as data: what a caller of the azcosmos client must see, request
// by request, and the runner that makes sure of it.
//
//	go test ./compat/conformance                            # the cases under testdata/ and testdata/own/
//	CONFORMANCE_DIR=some/dir go test ./compat/conformance   # the *.json of another folder instead
//
// A relative folder is looked for from the root of the module. go test caches what it finds there; when cases outside the
// module change, add -count=1.
//
// Every file is a JSON list of cases. testdata/ holds the cases of the specification as they were given, testdata/own/ the
// ones the project has added. To add one, write it into a file of testdata/own/; why is the sentence of the specification
// that it pins. An unknown field, region or value is an error, never ignored.
//
// Each case runs in virtual time with an azcosmos client of its own over an in-process account of package cosmostest, whose
// endpoint is https://acct.documents.azure.com:443/.
//
// # A case
//
//	name, why                printed when it fails                                            required
//	account.regions          readable regions, account order                                  East US, West US, North Europe
//	account.write            writable regions, account order                                  East US
//	account.multiWrite       enableMultipleWriteLocations                                     false
//	account.ppaf             enablePerPartitionFailoverBehavior                               false
//	client.preferred         ClientOptions.PreferredRegions; an empty list prefers none       the account's regions
//	client.excluded          regions that the client never uses                               none
//	client.policies          failover, session, throttle: these alone, in this order          everything, by policies.Install
//	client.settings          as policies.ParseSettings reads it                               {}
//	client.endpoint          the region whose endpoint the client is made for                 the global endpoint
//	client.tryTimeout        ClientOptions.Retry.TryTimeout                                   none
//	steps                    run in order with the same client                                required
//
// # A step
//
//	do                       read, create, upsert, replace, patch, delete, query, batch,      required
//	                         queryAcross (no partition key), readContainer, createContainer,
//	                         sproc (a raw POST through a pipeline with the same policies);
//	                         of a query, the first page
//	pk                       partition key value                                              "a"
//	range                    the physical partition it is in                                  "0"
//	session                  session token sent with the operation                            none
//	excluded                 regions excluded for this operation                              none
//	deadline, cancelAfter    of the context                                                   none
//	writeRetry               false: the caller opted this write out                           true
//	advance                  virtual time that passes before the step                         0
//	repeat                   how often all of the step is run; want holds for each run        1
//	account                  what changes about the account just before the step              nothing
//	changes                  what changes about the account while the step is under way:      nothing
//	                         a list of after (virtual time since its start) and account
//	faults                   how the account answers; they replace those of the step before   success
//	want                     what must come of it                                             required
//
// # A fault
//
// The first fault that matches a request answers it.
//
//	at                       a region, * for any region, or global                            required
//	on                       account for account reads                                        all other requests
//	range                    the physical partition                                           any
//	times                    how often, in one run of the step                                always
//	status                   of the answer, with substatus, headers and body                  this or transport
//	transport                refused, dns, tls (nothing is sent), reset, eof, blackhole       this or status
//	                         (no answer ever), truncated (a 200 whose body breaks off)
//	delay                    virtual time before the answer; alone, before the account's own  0
//
// # What is wanted
//
// What is absent is not looked at.
//
//	status, substatus        of the response or of the *azcore.ResponseError
//	headers, body            the same; of the headers those that are named
//	error                    transport, deadline (matches context.DeadlineExceeded), canceled (context.Canceled)
//	attempts                 the regions of the data-plane and metadata requests, in order, exactly
//	attemptCount, only       how many, and from which regions alone, where the order is left open
//	elapsed                  virtual time, inclusive bounds
//	accountReads             bounds on the number of account reads (GET /) since the step began
//	everyAttempt             header values that every attempt carries
package conformance
