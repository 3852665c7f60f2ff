package cosmostest

import (
	"encoding/json"
	"slices"
)

// continuation is where the next page of a query begins. It speaks of positions in the hash space and not of partitions,
// so that it means the same after a split or a merge. Everything before From is done; in each part everything up to the
// item with number After is done; and everything else is to come.
type continuation struct {
	From  string     `json:"from"`
	Parts []progress `json:"parts,omitempty"`
	// Skip is how many results are done, for queries whose order is not that of the items.
	Skip int `json:"skip,omitempty"`
}

// progress is how far a query has come between two positions.
type progress struct {
	Min   string `json:"min"`
	Max   string `json:"max"`
	After uint64 `json:"after"`
}

// String is the token that the client sends back.
func (c *continuation) String() string { return string(encode(c)) }

// parseContinuation reads a token; what it cannot read is the start.
func parseContinuation(token string) *continuation {
	c := &continuation{}
	if json.Unmarshal([]byte(token), c) != nil {
		return &continuation{}
	}
	return c
}

// done reports whether an item has been returned already.
func (c *continuation) done(position string, seq uint64) bool {
	if position < c.From {
		return true
	}
	for _, p := range c.Parts {
		if p.Min <= position && position < p.Max {
			return seq <= p.After
		}
	}
	return false
}

// advance returns the continuation after a page that ended in a partition: after the item with number last, or at the
// partition's end.
func (c *continuation) advance(p *partition, last uint64, ended bool) *continuation {
	next := &continuation{From: max(c.From, p.min)}
	if ended {
		next.From = max(c.From, p.max)
	} else {
		next.Parts = c.within(p, last)
	}
	for _, part := range c.Parts {
		if part.Min = max(part.Min, p.max); part.Min < part.Max {
			next.Parts = append(next.Parts, part)
		}
	}
	return next
}

// within is the progress in a partition whose items up to number last have been returned.
func (c *continuation) within(p *partition, last uint64) []progress {
	var out []progress
	low := max(c.From, p.min)
	for _, part := range c.Parts {
		part.Min, part.Max = max(part.Min, low), min(part.Max, p.max)
		if part.Min >= part.Max {
			continue
		}
		if low < part.Min {
			out = append(out, progress{low, part.Min, last})
		}
		part.After = max(part.After, last)
		out = append(out, part)
		low = part.Max
	}
	if low < p.max {
		out = append(out, progress{low, p.max, last})
	}
	return slices.Clip(out)
}
