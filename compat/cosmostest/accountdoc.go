package cosmostest

import "encoding/json"

// accountDocument is the body of an account read.
type accountDocument struct {
	Self                   string      `json:"_self"`
	ID                     string      `json:"id"`
	RID                    string      `json:"_rid"`
	Media                  string      `json:"media"`
	Addresses              string      `json:"addresses"`
	DBs                    string      `json:"_dbs"`
	Writable               []location  `json:"writableLocations"`
	Readable               []location  `json:"readableLocations"`
	MultiWrite             bool        `json:"enableMultipleWriteLocations"`
	ContinuousBackup       bool        `json:"continuousBackupEnabled"`
	SynchronousCommit      bool        `json:"enableNRegionSynchronousCommit"`
	PPAF                   bool        `json:"enablePerPartitionFailoverBehavior"`
	UserReplication        replication `json:"userReplicationPolicy"`
	UserConsistency        consistency `json:"userConsistencyPolicy"`
	SystemReplication      replication `json:"systemReplicationPolicy"`
	ReadPolicy             readPolicy  `json:"readPolicy"`
	QueryEngineDescription string      `json:"queryEngineConfiguration"`
}

type (
	location struct {
		Name     string `json:"name"`
		Endpoint string `json:"databaseAccountEndpoint"`
	}
	replication struct {
		Async bool `json:"asyncReplication"`
		Min   int  `json:"minReplicaSetSize"`
		Max   int  `json:"maxReplicasetSize"`
	}
	consistency struct {
		Default string `json:"defaultConsistencyLevel"`
	}
	readPolicy struct {
		Primary   int `json:"primaryReadCoefficient"`
		Secondary int `json:"secondaryReadCoefficient"`
	}
)

// queryEngine is what the service says about its query engine; clients only look for its presence.
const queryEngine = `{"maxSqlQueryInputLength":262144,"maxJoinsPerSqlQuery":10,"maxLogicalAndPerSqlQuery":2000,` +
	`"maxLogicalOrPerSqlQuery":2000,"maxUdfRefPerSqlQuery":10,"maxInExpressionItemsCount":16000,` +
	`"queryMaxGroupByTableCellCount":500000,"queryMaxInMemorySortDocumentCount":500,"maxQueryRequestTimeoutFraction":0.90,` +
	`"sqlAllowNonFiniteNumbers":false,"sqlAllowAggregateFunctions":true,"sqlAllowSubQuery":true,"sqlAllowScalarSubQuery":true,` +
	`"allowNewKeywords":true,"sqlAllowLike":true,"sqlAllowGroupByClause":true,"maxSpatialQueryCells":12,` +
	`"spatialMaxGeometryPointCount":256,"sqlDisableQueryILOptimization":false,"sqlDisableFilterPlanOptimization":false,` +
	`"sqlAllowTop":true,"enableSpatialIndexing":true}`

func (t *topology) locations(names []string) []location {
	out := make([]location, 0, len(names))
	for _, name := range names {
		out = append(out, location{t.names[regionKey(name)], t.endpoints[regionKey(name)]})
	}
	return out
}

func (t *topology) accountJSON() []byte {
	replicas := replication{Min: 3, Max: 4}
	body, _ := json.Marshal(accountDocument{ // strings, numbers and bools: cannot fail
		ID: t.cfg.Name, RID: t.cfg.Name + ".documents.azure.com", Media: "//media/", Addresses: "//addresses/", DBs: "//dbs/",
		Writable: t.locations(t.cfg.WriteRegions), Readable: t.locations(t.cfg.Regions),
		MultiWrite: t.cfg.MultiWrite, PPAF: t.cfg.PPAF,
		UserReplication: replicas, UserConsistency: consistency{t.cfg.Consistency}, SystemReplication: replicas,
		ReadPolicy: readPolicy{1, 1}, QueryEngineDescription: queryEngine,
	})
	return body
}
