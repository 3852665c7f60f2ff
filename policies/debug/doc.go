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
// It shows no credential, no body and no partition key value but the one that
// is asked for. It is read-only unless [Options.Token] is set.
package debug
