package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

// defaultLog is how many requests the log keeps unless the config says otherwise: a program may run for days.
const defaultLog = 10000

// accountFile is the config file: cosmostest.Config and what the account has from the start.
type accountFile struct {
	Name         string          `json:"name"`
	Regions      []string        `json:"regions"`
	WriteRegions []string        `json:"writeRegions"`
	MultiWrite   bool            `json:"multiWrite"`
	PPAF         bool            `json:"ppaf"`
	Key          string          `json:"key"`
	Tokens       []string        `json:"tokens"`
	Consistency  string          `json:"consistency"`
	LogLimit     int             `json:"logLimit"`
	Seed         uint64          `json:"seed"`
	Containers   []containerFile `json:"containers"`
	Faults       []faultSpec     `json:"faults"`

	ReplicationLag    duration `json:"replicationLag"`
	TopologyDelay     duration `json:"topologyDelay"`
	EnforceThroughput bool     `json:"enforceThroughput"`
}

// containerFile is a container and its items.
type containerFile struct {
	Database     string           `json:"database"`
	ID           string           `json:"id"`
	PartitionKey []string         `json:"partitionKey"`
	Partitions   int              `json:"partitions"`
	HashVersion  int              `json:"hashVersion"`
	Throughput   int              `json:"throughput"`
	DefaultTTL   int              `json:"defaultTTL"`
	ConflictPath string           `json:"conflictPath"`
	Items        []map[string]any `json:"items"`
}

// make makes the account, with its items and faults.
func (f *accountFile) make() (*cosmostest.Account, error) {
	account, err := cosmostest.NewAccount(f.config())
	if err != nil {
		return nil, namedAsInJSON(err)
	}
	for i, c := range f.Containers {
		if err := account.Seed(c.Database, c.ID, c.Items...); err != nil {
			return nil, fmt.Errorf("containers[%d].items: %w", i, err)
		}
	}
	return account, setFaults(account, "faults", f.Faults)
}

func (f *accountFile) config() *cosmostest.Config {
	cfg := &cosmostest.Config{
		Name: f.Name, Regions: f.Regions, WriteRegions: f.WriteRegions, MultiWrite: f.MultiWrite, PPAF: f.PPAF,
		Key: f.Key, Tokens: f.Tokens, Consistency: f.Consistency, LogLimit: f.LogLimit, Seed: f.Seed,
		ReplicationLag: f.ReplicationLag.value(), TopologyDelay: f.TopologyDelay.value(), EnforceThroughput: f.EnforceThroughput,
	}
	if cfg.LogLimit == 0 {
		cfg.LogLimit = defaultLog
	}
	for _, c := range f.Containers {
		cfg.Containers = append(cfg.Containers, cosmostest.Container{
			Database: c.Database, ID: c.ID, PartitionKey: c.PartitionKey, Partitions: c.Partitions, HashVersion: c.HashVersion,
			Throughput: c.Throughput, DefaultTTL: c.DefaultTTL, ConflictPath: c.ConflictPath,
		})
	}
	return cfg
}

// configField is how the errors of cosmostest begin when they blame a field of its Config.
var configField = regexp.MustCompile(`^cosmostest: Config\.([\w.\[\]]+) (.*); allowed: (.*)$`)

// namedAsInJSON makes a fieldError of an error about a Config, with the field's name in JSON.
func namedAsInJSON(err error) error {
	parts := configField.FindStringSubmatch(err.Error())
	if parts == nil {
		return err
	}
	names := strings.Split(parts[1], ".")
	for i, name := range names {
		bare, index, _ := strings.Cut(name, "[")
		if bare == strings.ToUpper(bare) { // ID, PPAF
			bare = strings.ToLower(bare)
		}
		names[i] = strings.ToLower(bare[:1]) + bare[1:]
		if index != "" {
			names[i] += "[" + index
		}
	}
	return &fieldError{strings.Join(names, "."), parts[2], parts[3]}
}

// duration is a time.Duration that is written as a string in JSON.
type duration time.Duration

func (d duration) value() time.Duration { return time.Duration(d) }

func (*duration) allowed() string { return `a duration such as "250ms" or "1m30s", not negative` }

// UnmarshalJSON reads a string such as "250ms".
func (d *duration) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	value, err := time.ParseDuration(text)
	if err == nil && value < 0 {
		err = fmt.Errorf("%v is negative", value)
	}
	*d = duration(value)
	return err
}

// MarshalJSON is the inverse of UnmarshalJSON.
func (d duration) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(d).String()) }
