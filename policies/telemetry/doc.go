// Package telemetry tells OpenTelemetry what the policies decide: as metrics,
// and as events of the span that a request runs in. It uses the OpenTelemetry
// API alone; the program chooses the SDK and the exporters.
//
//	observer, err := telemetry.New(nil) // the global meter provider
//	client, err := compat.NewClientWithKey(endpoint, cred, options, &policies.Options{Observers: []policies.Observer{observer}})
//
// The metrics marked * are read from the state of the clients that have the
// observer; Watch adds others.
//
// # Metrics
//
// The first three are those of the semantic conventions for Azure Cosmos DB
// (1.43), with the buckets that they recommend; the others answer what those
// cannot. "operation" stands for db.operation.name, db.namespace and
// db.collection.name, "status" for db.response.status_code and
// azure.cosmosdb.response.sub_status_code, and region, target_region, cause and
// kind have the prefix cosmosretry. Every metric has db.system.name.
//
//	name                                           type       unit            attributes
//	db.client.operation.duration                   histogram  s               operation, region, status, error.type
//	azure.cosmosdb.client.operation.request_charge histogram  {request_unit}  operation, region, status, error.type
//	azure.cosmosdb.client.active_instance.count *  up-down    {instance}
//	cosmosretry.operation.retries                  histogram  {retry}         operation
//	cosmosretry.operation.retried.duration         histogram  s               operation, error.type
//	cosmosretry.retries                            counter    {retry}         operation, region, cause, kind
//	cosmosretry.failovers                          counter    {failover}      region, target_region, cause
//	cosmosretry.throttle.wait                      histogram  s               operation, region
//	cosmosretry.gave_up                            counter    {operation}     operation, cause, db.response.status_code
//	cosmosretry.budget.refused                     counter    {retry}         operation, region, cause
//	cosmosretry.budget.left *                      gauge      {retry}
//	cosmosretry.breaker.trips                      counter    {trip}          operation, region
//	cosmosretry.breaker.probes                     counter    {probe}         operation, region
//	cosmosretry.breaker.recoveries                 counter    {recovery}      operation, region
//	cosmosretry.breaker.tripped *                  up-down    {breaker}       region, cosmosretry.breaker.state (open, probing)
//	cosmosretry.endpoint.marks                     counter    {mark}          region
//	cosmosretry.endpoint.marked *                  up-down    {endpoint}      region
//	cosmosretry.ppaf.moves                         counter    {move}          operation, region
//	cosmosretry.ppaf.overrides *                   up-down    {partition}     region
//	cosmosretry.topology.refreshes                 counter    {refresh}       error.type
//	cosmosretry.dead_letters.lost                  counter    {write}         operation
//	cosmosretry.events.dropped *                   counter    {event}
//
// The duration is that of the operation with all its attempts and waits; an
// operation of the client that reads several pages is one per page. It covers
// failures too, with their error.type: the status, "canceled" when the caller's
// context was, the cause when no answer arrived, "_OTHER" for the rest. Its
// region is the last that was asked. cosmosretry.operation.retries and
// cosmosretry.operation.retried.duration are of the operations that needed retries:
// for the average of all, divide cosmosretry.retries by what
// db.client.operation.duration counts. cosmosretry.budget.left is the least of the
// budgets that are watched.
//
// Feeds count as read_item. Operations on databases, containers and offers are
// read_metadata, create_metadata and so on; the client's own reads of the account
// are read_account, and left out of the metrics per operation. The breaker metrics
// have "reads" or "writes" there: each fails by itself.
//
// # Cardinality
//
// No label holds an item's id, a partition, a partition key, a host or an
// activity id. Containers are told apart up to [Options.MaxCollections], and
// regions and sub-statuses up to what the service has; the rest is "other", and
// -1 as a sub-status. A region is "unknown" before the account's regions are.
//
// # Spans
//
// azcosmos makes a span for each call when it has a tracing provider, such as
// that of package azotel. Retries, failovers and the end of the operation become
// events of it, "cosmosretry.failover" for one, with reason, cause, region,
// target region, status, sub-status, wait and elapsed time in seconds, and the
// number of the attempt. An operation that succeeded at once has none. Changes of
// the state that requests share, such as a breaker that opens, belong to no span.
package telemetry
