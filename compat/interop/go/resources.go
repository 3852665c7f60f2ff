package main

import (
	"context"
	"errors"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

func checkContainers(ctx context.Context, e *env) error {
	if _, err := e.client.CreateDatabase(ctx, azcosmos.DatabaseProperties{ID: "archive"}, nil); err != nil {
		return err
	}
	_, again := e.client.CreateDatabase(ctx, azcosmos.DatabaseProperties{ID: "archive"}, nil)
	db, err := e.client.NewDatabase("archive")
	if err != nil {
		return err
	}
	key := azcosmos.PartitionKeyDefinition{
		Paths: []string{"/tenant", "/user"}, Kind: azcosmos.PartitionKeyKindMultiHash, Version: 2,
	}
	properties := azcosmos.ContainerProperties{ID: "events", PartitionKeyDefinition: key}
	if _, err := db.CreateContainer(ctx, properties, nil); err != nil {
		return err
	}
	events, err := db.NewContainer("events")
	if err != nil {
		return err
	}
	read, err := events.Read(ctx, nil)
	if err != nil {
		return err
	}
	pk := azcosmos.NewPartitionKeyString("t").AppendString("u")
	_, created := events.CreateItem(ctx, pk, []byte(`{"id":"1","tenant":"t","user":"u"}`), nil)
	prefix := azcosmos.NewPartitionKeyString("t")
	items, _, queried := drain(ctx, events.NewQueryItemsPager("SELECT * FROM c", prefix, nil))
	_, deleted := events.Delete(ctx, nil)
	_, dropped := db.Delete(ctx, nil)
	return errors.Join(
		wantStatus(again, 409), created, queried, deleted, dropped,
		want("the paths of the key", len(read.ContainerProperties.PartitionKeyDefinition.Paths), 2),
		want("the items below a prefix of the key", items, 1),
	)
}

func checkThroughput(ctx context.Context, e *env) error {
	if _, err := e.client.CreateDatabase(ctx, azcosmos.DatabaseProperties{ID: "bulk"}, nil); err != nil {
		return err
	}
	db, err := e.client.NewDatabase("bulk")
	if err != nil {
		return err
	}
	properties := azcosmos.ContainerProperties{
		ID: "events", PartitionKeyDefinition: azcosmos.PartitionKeyDefinition{Paths: []string{"/pk"}, Version: 2},
	}
	manual := azcosmos.NewManualThroughputProperties(600)
	if _, err := db.CreateContainer(ctx, properties, &azcosmos.CreateContainerOptions{ThroughputProperties: &manual}); err != nil {
		return err
	}
	events, err := db.NewContainer("events")
	if err != nil {
		return err
	}
	_, replaced := events.ReplaceThroughput(ctx, azcosmos.NewManualThroughputProperties(900), nil)
	read, err := events.ReadThroughput(ctx, nil)
	if err != nil {
		return err
	}
	rate, ok := read.ThroughputProperties.ManualThroughput()
	_, dropped := db.Delete(ctx, nil)
	return errors.Join(replaced, dropped, want("that it is manual", ok, true), want("the throughput", rate, 900))
}
