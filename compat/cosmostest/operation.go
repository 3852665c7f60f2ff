package cosmostest

// Operation is what a request does, under the names that the fault injection of other Cosmos DB SDKs uses.
type Operation string

// The operations.
const (
	OpReadItem         Operation = "ReadItem"
	OpCreateItem       Operation = "CreateItem"
	OpUpsertItem       Operation = "UpsertItem"
	OpReplaceItem      Operation = "ReplaceItem"
	OpPatchItem        Operation = "PatchItem"
	OpDeleteItem       Operation = "DeleteItem"
	OpBatchItem        Operation = "BatchItem" // a transactional batch or a bulk request
	OpQueryItem        Operation = "QueryItem"
	OpReadFeedItem     Operation = "ReadFeedItem" // the list of all items
	OpChangeFeedItem   Operation = "ChangeFeedItem"
	OpExecuteProcedure Operation = "ExecuteStoredProcedure"
	OpConflicts        Operation = "Conflicts" // whatever is done with the conflict feed

	OpReadAccount        Operation = "MetadataReadDatabaseAccount"
	OpReadContainer      Operation = "MetadataReadContainer"
	OpReadDatabase       Operation = "MetadataReadDatabase"
	OpPartitionKeyRanges Operation = "MetadataPartitionKeyRanges"
	OpQueryPlan          Operation = "MetadataQueryPlan"
	OpReadOffer          Operation = "MetadataReadOffer" // reads, lists and queries
	OpWriteMetadata      Operation = "MetadataWrite"     // of databases, containers and offers
	OpListMetadata       Operation = "MetadataReadFeed"  // lists and queries of databases and containers
)

// Groups of operations, for [Fault.Operations].
const (
	// OpAnyItemRead is point reads, queries, lists and the change feed.
	OpAnyItemRead Operation = "AnyItemRead"
	// OpAnyItemWrite is point writes, batches and stored procedures.
	OpAnyItemWrite Operation = "AnyItemWrite"
	// OpAnyMetadata is everything with databases, containers, partition key ranges, offers and query plans, but no
	// account reads.
	OpAnyMetadata Operation = "AnyMetadata"
)

// Operations returns all operations, the groups last.
func Operations() []Operation {
	return []Operation{
		OpReadItem, OpCreateItem, OpUpsertItem, OpReplaceItem, OpPatchItem, OpDeleteItem, OpBatchItem, OpQueryItem,
		OpReadFeedItem, OpChangeFeedItem, OpExecuteProcedure, OpConflicts, OpReadAccount, OpReadContainer, OpReadDatabase,
		OpPartitionKeyRanges, OpQueryPlan, OpReadOffer, OpWriteMetadata, OpListMetadata,
		OpAnyItemRead, OpAnyItemWrite, OpAnyMetadata,
	}
}

// itemOperations are the operations on items by what is done.
var itemOperations = map[op]Operation{
	opRead: OpReadItem, opCreate: OpCreateItem, opUpsert: OpUpsertItem, opReplace: OpReplaceItem, opPatch: OpPatchItem,
	opDelete: OpDeleteItem, opBatch: OpBatchItem, opQuery: OpQueryItem, opReadFeed: OpReadFeedItem, opQueryPlan: OpQueryPlan,
}

// operationName is the name of what a request does; empty for what makes no sense.
func operationName(rec *Request, to target, o op) Operation {
	switch to.kind {
	case "":
		return OpReadAccount
	case "docs":
		if o == opReadFeed && rec.Header.Get("A-Im") != "" {
			return OpChangeFeedItem
		}
		return itemOperations[o]
	case "sprocs":
		return OpExecuteProcedure
	case "conflicts":
		return OpConflicts
	case "pkranges":
		return OpPartitionKeyRanges
	}
	switch {
	case o.write():
		return OpWriteMetadata
	case to.kind == "offers":
		return OpReadOffer
	case o != opRead:
		return OpListMetadata
	case to.kind == "colls":
		return OpReadContainer
	}
	return OpReadDatabase
}

// in reports whether the operation is another one, or one of a group.
func (o Operation) in(group Operation) bool {
	switch group {
	case OpAnyItemRead:
		return o == OpReadItem || o == OpQueryItem || o == OpReadFeedItem || o == OpChangeFeedItem
	case OpAnyItemWrite:
		switch o {
		case OpCreateItem, OpUpsertItem, OpReplaceItem, OpPatchItem, OpDeleteItem, OpBatchItem, OpExecuteProcedure:
			return true
		}
		return false
	case OpAnyMetadata:
		switch o {
		case OpReadContainer, OpReadDatabase, OpPartitionKeyRanges, OpQueryPlan, OpReadOffer, OpWriteMetadata, OpListMetadata:
			return true
		}
		return false
	}
	return o == group
}
