package cosmostest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// limited is an account whose container has 100 request units per second in two partitions.
func limited(t *testing.T) *Account {
	return New(t, &Config{Containers: []Container{{Database: "db", ID: "c", Partitions: 2, Throughput: 100}}})
}

// creates are how many of n creates go through, one after the other, and the answers to the others.
func creates(t *testing.T, c *azcosmos.ContainerClient, n int, prefix string) (ok int, refused []*http.Response) {
	t.Helper()
	for i := range n {
		_, err := c.CreateItem(t.Context(), pkA, fmt.Appendf(nil, `{"id":"%s%d","pk":"a"}`, prefix, i), nil)
		if err == nil {
			ok++
			continue
		}
		refused = append(refused, wantStatus(t, err, http.StatusTooManyRequests).RawResponse)
	}
	return ok, refused
}

// TestThrottling: a partition serves its share of the throughput in each second, and says how long to wait.
func TestThrottling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := limited(t)
		east := in(t, acct, "East US")
		time.Sleep(250 * time.Millisecond)
		ok, refused := creates(t, east.c(), 20, "a") // 50 units, 5.5 each: the tenth is begun with half a unit left
		if ok != 10 || len(refused) != 10 {
			t.Fatalf("%d creates went through, want 10", ok)
		}
		h := refused[0].Header
		if h.Get(headerSubStatus) != "3200" || h.Get("x-ms-retry-after-ms") != "750" || h.Get(headerRangeID) == "" {
			t.Errorf("the answer to the others: %v", h)
		}
		if items, _ := acct.Items("db", "c", ""); len(items) != 10 {
			t.Errorf("%d items, want 10: what is throttled is not carried out", len(items))
		}
		east.want("a read of the partition", "a0", "", "", 429, 3200)
		in(t, acct, "West US").want("another region has its own", "a0", "", "", 200, 0)
		time.Sleep(749 * time.Millisecond)
		east.want("too early", "a0", "", "", 429, 3200)
		time.Sleep(time.Millisecond)
		east.want("in time", "a0", "", "", 200, 0)
		if ok, _ := creates(t, east.c(), 20, "b"); ok != 8 { // 5 units were spent before, and one by the read
			t.Errorf("%d creates went through in the second second, want 8", ok)
		}
		time.Sleep(time.Hour)
		if ok, _ := creates(t, east.c(), 20, "c"); ok != 10 {
			t.Errorf("%d creates went through after an hour, want 10: nothing is saved up", ok)
		}
	})
}

// TestThrottlingDebt: a large request is served and paid for later.
func TestThrottlingDebt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := limited(t)
		east := in(t, acct, "East US")
		big := fmt.Sprintf(`{"id":"big","pk":"a","text":%q}`, strings.Repeat("x", 40<<10))
		resp, err := east.c().CreateItem(t.Context(), pkA, []byte(big), nil)
		noError(t, err)
		if resp.RequestCharge != 225.5 { // 41 KiB
			t.Errorf("charge %v", resp.RequestCharge)
		}
		_, err = east.c().ReadItem(t.Context(), pkA, "big", nil)
		if got := wantStatus(t, err, 429).RawResponse.Header.Get("x-ms-retry-after-ms"); got != "4000" {
			t.Errorf("retry after %s ms, want 4000", got)
		}
		time.Sleep(4 * time.Second)
		east.want("paid", "big", "", "", 200, 0)
	})
}

// TestOfferChangesThroughput: clients read and replace the throughput, and a client that waits as told gets through.
func TestOfferChangesThroughput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := limited(t)
		cred, _ := azcosmos.NewKeyCredential(DefaultKey)
		client, err := azcosmos.NewClientWithKey(acct.Endpoint(), cred, &azcosmos.ClientOptions{
			ClientOptions: azcore.ClientOptions{Transport: pinned{acct, "East US"}, Retry: policy.RetryOptions{MaxRetries: 3}},
		})
		noError(t, err)
		c, err := client.NewContainer("db", "c")
		noError(t, err)
		props, err := c.ReadThroughput(t.Context(), nil)
		noError(t, err)
		if n, _ := props.ThroughputProperties.ManualThroughput(); n != 100 {
			t.Errorf("throughput %d, want 100", n)
		}
		start := time.Now()
		for i := range 30 {
			_, err := c.CreateItem(t.Context(), pkA, fmt.Appendf(nil, `{"id":"%d","pk":"a"}`, i), nil)
			noError(t, err)
		}
		if took := time.Since(start); took != 3*time.Second {
			t.Errorf("30 creates at 50 units per second took %v, want 3s", took)
		}
		_, err = c.ReplaceThroughput(t.Context(), azcosmos.NewManualThroughputProperties(1000), nil)
		noError(t, err)
		time.Sleep(time.Second)
		if ok, _ := creates(t, in(t, acct, "East US").c(), 200, "x"); ok != 91 {
			t.Errorf("%d creates went through at 500 units, want 91", ok)
		}
		_, err = c.ReplaceThroughput(t.Context(), azcosmos.NewAutoscaleThroughputProperties(4000), nil)
		noError(t, err)
		if _, err := acct.Split("db", "c", "0"); err != nil {
			t.Error(err)
		}
		if ct, _ := acct.store.container("db", "c"); int(ct.share(acct.store)) != 1333 {
			t.Errorf("three partitions have %v each of 4000", ct.share(acct.store))
		}
	})
}

// TestEnforceThroughput: with it, containers that clients make are throttled, too; without, none is.
func TestEnforceThroughput(t *testing.T) {
	for _, enforce := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			acct := New(t, &Config{EnforceThroughput: enforce, Containers: []Container{{Database: "db", ID: "other"}}})
			db, err := newClient(t, acct, pinned{acct, "East US"}).NewDatabase("db")
			noError(t, err)
			_, err = db.CreateContainer(t.Context(), azcosmos.ContainerProperties{
				ID: "c", PartitionKeyDefinition: azcosmos.PartitionKeyDefinition{Paths: []string{"/pk"}},
			}, nil)
			noError(t, err)
			ok, _ := creates(t, in(t, acct, "East US").c(), 200, "")
			if want := map[bool]int{false: 200, true: 73}[enforce]; ok != want {
				t.Errorf("enforced %t: %d creates went through, want %d", enforce, ok, want)
			}
		})
	}
}

// TestCharges: the model of the request charges.
func TestCharges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := New(t, oneContainer())
		c := newContainerClient(t, acct, acct.Transport())
		var got []float32
		charge := func(ru float32, err error) {
			t.Helper()
			noError(t, err)
			got = append(got, ru)
		}
		small, large := []byte(`{"id":"1","pk":"a"}`), fmt.Appendf(nil, `{"id":"2","pk":"a","t":%q}`, strings.Repeat("x", 2000))
		create, err := c.CreateItem(t.Context(), pkA, small, nil)
		charge(create.RequestCharge, err)
		create, err = c.CreateItem(t.Context(), pkA, large, nil)
		charge(create.RequestCharge, err)
		upsert, err := c.UpsertItem(t.Context(), pkA, small, nil)
		charge(upsert.RequestCharge, err)
		read, err := c.ReadItem(t.Context(), pkA, "2", nil)
		charge(read.RequestCharge, err)
		page, err := c.NewQueryItemsPager("SELECT * FROM c", pkA, nil).NextPage(t.Context())
		charge(page.RequestCharge, err)
		batch := c.NewTransactionalBatch(pkA)
		batch.DeleteItem("1", nil)
		batch.ReadItem("2", nil)
		done, err := c.ExecuteTransactionalBatch(t.Context(), batch, nil)
		charge(done.RequestCharge, err)
		if want := []float32{5.5, 16.5, 10.5, 3, 4.7, 8.5}; !slices.Equal(got, want) {
			t.Errorf("charges %v, want %v", got, want)
		}
	})
}
