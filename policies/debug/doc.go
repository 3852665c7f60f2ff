// Package debug is a page that shows what the policies of a program are doing
// and why, like net/http/pprof for its profiles:
//
//	page, err := debug.New(nil)
//	http.Handle("/debug/cosmos/", page)
//	client, err := compat.NewClientWithKey(endpoint, cred, options, &policies.Options{Observers: []policies.Observer{page}})
//
// The page lists, per client, the account's regions and their order, marks,
// breakers, PPAF overrides, the retry budget, the settings in force and the last
// decisions with their reasons, and answers "why would this key go where?".
// Each path also speaks JSON, to a request that accepts application/json or has
// ?format=json.
//
//	GET  /debug/cosmos/          everything; what an on-call engineer looks at first
//	GET  /debug/cosmos/settings  the settings in force (?client=)
//	GET  /debug/cosmos/explain   where an operation would go now, and why (?client=, collection, key, write)
//	POST /debug/cosmos/settings  replaces the settings of a client, with a token (?client=)
//
// client is the name of a client on the page, and may be left out while there is
// one; collection is the path of a container ("dbs/shop/colls/orders"), key a text
// or a JSON array, and write says anything for a write.
//
// It shows no credential, no body and no partition key value but the one that
// is asked for. It is read-only unless [Options.Token] is set. It asks nobody who
// they are: serve it where only operators come, as you do with net/http/pprof.
//
// The page takes no lock that an operation waits for, and reading it costs a
// program what it costs to write the page.
package debug
