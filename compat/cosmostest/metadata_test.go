package cosmostest

import (
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

func TestDatabases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := New(t, oneContainer())
		client, ctx := newClient(t, acct, acct.Transport()), t.Context()
		throughput := azcosmos.NewManualThroughputProperties(500)
		created, err := client.CreateDatabase(ctx, azcosmos.DatabaseProperties{ID: "db2"}, &azcosmos.CreateDatabaseOptions{ThroughputProperties: &throughput})
		noError(t, err)
		_, err = client.CreateDatabase(ctx, azcosmos.DatabaseProperties{ID: "db2"}, nil)
		wantStatus(t, err, http.StatusConflict)
		page, err := client.NewQueryDatabasesPager("SELECT * FROM root r WHERE r.id != 'x'", nil).NextPage(ctx)
		noError(t, err)
		if len(page.Databases) != 2 || page.Databases[1].ResourceID != created.DatabaseProperties.ResourceID {
			t.Errorf("databases: %+v", page.Databases)
		}
		db, err := client.NewDatabase("db2")
		noError(t, err)
		if read, err := db.Read(ctx, nil); err != nil || read.DatabaseProperties.ID != "db2" || read.ETag == "" {
			t.Errorf("read: %v %+v", err, read)
		}
		offer, err := db.ReadThroughput(ctx, nil)
		noError(t, err)
		if n, ok := offer.ThroughputProperties.ManualThroughput(); !ok || n != 500 {
			t.Errorf("throughput %d", n)
		}
		_, err = db.Delete(ctx, nil)
		noError(t, err)
		_, err = db.Read(ctx, nil)
		wantStatus(t, err, http.StatusNotFound)
	})
}

func TestContainers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acct := New(t, oneContainer())
		ctx := t.Context()
		db, err := newClient(t, acct, acct.Transport()).NewDatabase("db")
		noError(t, err)
		props := azcosmos.ContainerProperties{ID: "c2", PartitionKeyDefinition: azcosmos.PartitionKeyDefinition{Paths: []string{"/a", "/b"}, Version: 2}}
		throughput := azcosmos.NewManualThroughputProperties(25000)
		created, err := db.CreateContainer(ctx, props, &azcosmos.CreateContainerOptions{ThroughputProperties: &throughput})
		noError(t, err)
		if p := created.ContainerProperties; p.ResourceID == "" || p.PartitionKeyDefinition.Kind != azcosmos.PartitionKeyKindMultiHash || p.IndexingPolicy == nil {
			t.Errorf("created %+v", p)
		}
		_, err = db.CreateContainer(ctx, azcosmos.ContainerProperties{ID: "c3"}, nil)
		wantStatus(t, err, http.StatusBadRequest)
		page, err := db.NewQueryContainersPager("SELECT * FROM c", nil).NextPage(ctx)
		noError(t, err)
		if len(page.Containers) != 2 {
			t.Errorf("containers: %+v", page.Containers)
		}
		c, err := db.NewContainer("c2")
		noError(t, err)
		exerciseContainer(t, c)
	})
}

// exerciseContainer changes and deletes a container with the partition key /a, /b.
func exerciseContainer(t *testing.T, c *azcosmos.ContainerClient) {
	ctx := t.Context()
	read, err := c.Read(ctx, nil)
	noError(t, err)
	ttl := int32(60)
	read.ContainerProperties.DefaultTimeToLive = &ttl
	replaced, err := c.Replace(ctx, *read.ContainerProperties, nil)
	noError(t, err)
	if p := replaced.ContainerProperties; p.DefaultTimeToLive == nil || p.ResourceID != read.ContainerProperties.ResourceID || replaced.ETag == read.ETag {
		t.Errorf("replaced by %+v", p)
	}
	offer, err := c.ReplaceThroughput(ctx, azcosmos.NewAutoscaleThroughputProperties(4000), nil)
	noError(t, err)
	if n, ok := offer.ThroughputProperties.AutoscaleMaxThroughput(); !ok || n != 4000 {
		t.Errorf("throughput %d", n)
	}
	pk := azcosmos.NewPartitionKeyString("x").AppendNumber(1)
	_, err = c.CreateItem(ctx, pk, []byte(`{"id":"1","a":"x","b":1}`), nil)
	noError(t, err)
	_, err = c.ReadItem(ctx, pk, "1", nil)
	noError(t, err)
	if items, _ := queryAll(t, c, "SELECT * FROM c", azcosmos.NewPartitionKeyString("x"), nil); len(items) != 1 {
		t.Errorf("prefix query: %q", items)
	}
	_, err = c.ReadItem(ctx, azcosmos.NewPartitionKeyString("x"), "1", nil)
	wantStatus(t, err, http.StatusBadRequest)
	_, err = c.Delete(ctx, nil)
	noError(t, err)
	_, err = c.ReadItem(ctx, pk, "1", nil)
	wantStatus(t, err, http.StatusNotFound)
}
