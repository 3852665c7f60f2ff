package regioncache

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

var errRead = errors.New("the account cannot be read")

func TestSharedAccountReadConcurrentSafe(t *testing.T) {
	for name, failure := range map[string]error{"answered": nil, "failed": errRead} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCache(t, single, nil)
				time.Sleep(time.Minute)
				var reads atomic.Int32
				together(1000, func() {
					document, err := c.SharedAccountRead(context.Background(), func() ([]byte, error) {
						reads.Add(1)
						time.Sleep(time.Second)
						return []byte("document"), failure
					})
					if !errors.Is(err, failure) || failure == nil && string(document) != "document" {
						t.Errorf("%q, %v", document, err)
					}
				})
				is(t, "reads", reads.Load(), 1)
			})
		})
	}
}

// TestSharedAccountReadReuse has an account read follow another one.
func TestSharedAccountReadReuse(t *testing.T) {
	for name, test := range map[string]struct {
		first error
		after time.Duration
		reads int
	}{
		"a fresh answer":              {nil, 5*time.Second - 1, 1},
		"an old answer":               {nil, 5 * time.Second, 2},
		"a fresh failure":             {errRead, time.Second - 1, 1},
		"an old failure":              {errRead, time.Second, 2},
		"a cancellation, immediately": {context.Canceled, 0, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := emptyCache(t, nil)
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				reads := 0
				read := func(result error) func() ([]byte, error) {
					return func() ([]byte, error) { reads++; return readOnce(c, result, cancel) }
				}
				_, err := c.SharedAccountRead(ctx, read(test.first))
				if !errors.Is(err, test.first) {
					t.Errorf("error %v, want %v", err, test.first)
				}
				time.Sleep(test.after)
				if _, err := c.SharedAccountRead(context.Background(), read(nil)); (err == nil) != (test.reads == 2 || test.first == nil) {
					t.Errorf("then error %v", err)
				}
				is(t, "reads", reads, test.reads)
			})
		})
	}
}

// readOnce is an account read that ends in a given way.
func readOnce(c *Cache, result error, cancel func()) ([]byte, error) {
	switch {
	case errors.Is(result, context.Canceled):
		cancel()
	case result == nil:
		return single.document(), c.Learn(single.document(), time.Now())
	}
	return nil, result
}

// TestSharedAccountReadReusesAnyAnswer has an on-demand read come first.
func TestSharedAccountReadReusesAnyAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := emptyCache(t, nil)
		_, err := c.SharedAccountRead(context.Background(), func() ([]byte, error) { return nil, errRead })
		is(t, "error", err, errRead)
		learn(t, c, multi)
		document, err := c.SharedAccountRead(context.Background(), func() ([]byte, error) { t.Error("read again"); return nil, nil })
		is(t, "error", err, nil)
		is(t, "document", string(document), string(multi.document()))
	})
}

// TestSharedAccountReadLeaderGoes has the request that makes the read go away
// without a result: another one makes it.
func TestSharedAccountReadLeaderGoes(t *testing.T) {
	for name, leave := range map[string]func(cancel func()) ([]byte, error){
		"cancelled": func(cancel func()) ([]byte, error) { cancel(); return nil, context.Canceled },
		"panicking": func(func()) ([]byte, error) { panic("transport") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := emptyCache(t, nil)
				var wg sync.WaitGroup
				wg.Go(func() {
					defer func() { recover() }()
					ctx, cancel := context.WithCancel(context.Background())
					_, err := c.SharedAccountRead(ctx, func() ([]byte, error) {
						time.Sleep(time.Second)
						return leave(cancel)
					})
					is(t, "the leader's error", err, context.Canceled)
				})
				synctest.Wait()
				var reads atomic.Int32
				for range 100 {
					wg.Go(func() {
						document, err := c.SharedAccountRead(context.Background(), func() ([]byte, error) {
							reads.Add(1)
							time.Sleep(time.Second)
							return []byte("document"), nil
						})
						is(t, "document", string(document), "document")
						is(t, "error", err, nil)
					})
				}
				wg.Wait()
				is(t, "reads", reads.Load(), 1)
			})
		})
	}
}

// TestSharedAccountReadWaiterGoes has a request not wait longer than it may.
func TestSharedAccountReadWaiterGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := emptyCache(t, nil)
		var wg sync.WaitGroup
		wg.Go(func() {
			_, err := c.SharedAccountRead(context.Background(), func() ([]byte, error) { time.Sleep(time.Minute); return nil, nil })
			is(t, "the leader's error", err, nil)
		})
		synctest.Wait()
		start := time.Now()
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_, err := c.SharedAccountRead(ctx, func() ([]byte, error) { t.Error("read again"); return nil, nil })
		is(t, "error", err, context.DeadlineExceeded)
		is(t, "elapsed", time.Since(start), time.Second)
		wg.Wait()
	})
}

func TestAccountHosts(t *testing.T) {
	const global = "acct.documents.azure.com:443"
	for name, test := range map[string]struct {
		account account // the zero value: nothing is known
		o       Options
		host    string
		want    []string
	}{
		"known":             {single, Options{}, global, []string{global, hostOf(east), hostOf(west), hostOf(north)}},
		"known, preferred":  {single, Options{PreferredRegions: []string{north}}, global, []string{global, hostOf(north), hostOf(east), hostOf(west)}},
		"known, excluded":   {single, Options{ExcludedRegions: accountOrder}, global, []string{global, hostOf(east), hostOf(west), hostOf(north)}},
		"a region of it":    {single, Options{}, hostOf(west), []string{hostOf(west), hostOf(east), hostOf(north)}},
		"without its port":  {single, Options{}, "ACCT-westus.documents.azure.com", []string{hostOf(west), hostOf(east), hostOf(north)}},
		"pinned":            {single, Options{PinEndpoint: true}, global, []string{global}},
		"unknown":           {account{}, Options{}, global, []string{global}},
		"unknown, pinned":   {account{}, Options{PreferredRegions: []string{east}, PinEndpoint: true}, global, []string{global}},
		"unknown, by names": {account{}, Options{PreferredRegions: []string{west, east}}, global, []string{global, hostOf(west), hostOf(east)}},
		"unknown, a region": {account{}, Options{PreferredRegions: []string{west, east}}, hostOf(east), []string{hostOf(east), global, hostOf(west)}},
	} {
		t.Run(name, func(t *testing.T) {
			c := emptyCache(t, &test.o)
			if test.account.readable != nil {
				learn(t, c, test.account)
			}
			var got []string
			for _, r := range c.AccountHosts("https", test.host) {
				got = append(got, r.Host)
			}
			equal(t, "hosts", got, test.want)
		})
	}
}

func TestRegionalHosts(t *testing.T) {
	preferred := []string{"East US", "west-us 2"}
	for host, want := range map[string]string{
		"acct.documents.azure.com":               "acct-eastus.documents.azure.com acct-westus2.documents.azure.com",
		"acct.documents.azure.com:443":           "acct-eastus.documents.azure.com:443 acct-westus2.documents.azure.com:443",
		"my-acct.documents.azure.cn":             "my-acct-eastus.documents.azure.cn my-acct-westus2.documents.azure.cn",
		"acct-eastus.documents.azure.com":        "acct.documents.azure.com acct-eastus.documents.azure.com acct-westus2.documents.azure.com",
		"acct-westus2.documents.azure.us:8443":   "acct.documents.azure.us:8443 acct-eastus.documents.azure.us:8443 acct-westus2.documents.azure.us:8443",
		"-eastus.documents.azure.com":            "-eastus-eastus.documents.azure.com -eastus-westus2.documents.azure.com",
		"acct.privatelink.documents.azure.com":   "acct-eastus.privatelink.documents.azure.com acct-westus2.privatelink.documents.azure.com",
		"localhost":                              "",
		"localhost:8081":                         "",
		"127.0.0.1":                              "",
		"127.0.0.1:8081":                         "",
		"[::1]:8081":                             "",
		"fe80::1":                                "",
		"acct-northeurope.documents.azure.com:1": "acct-northeurope-eastus.documents.azure.com:1 acct-northeurope-westus2.documents.azure.com:1",
	} {
		t.Run(host, func(t *testing.T) {
			var got []string
			for _, r := range regionalHosts("https", host, preferred) {
				got = append(got, r.Host)
				is(t, "scheme", r.Scheme, "https")
			}
			is(t, "hosts", strings.Join(got, " "), want)
		})
	}
	is(t, "without preferred regions", len(regionalHosts("https", "acct.documents.azure.com", nil)), 0)
}
