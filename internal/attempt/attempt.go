package attempt

import (
	"fmt"
	"time"
)

// Attempt is one request of an operation and how it ended.
type Attempt struct {
	// Region that the request went to, "" while the account's regions are unknown.
	Region string
	// Host that the request went to.
	Host string
	// Start is when the request was sent.
	Start time.Time
	// Wait is how long the policies slept before it.
	Wait time.Duration
	// Duration is how long the answer, or the failure, took.
	Duration time.Duration
	// Status and SubStatus of the answer, 0 when none arrived.
	Status, SubStatus int
	// Sent is false when the request surely never left the client.
	Sent bool
	// Reason says why the request was sent: what went wrong before it. It is
	// empty for the first one.
	Reason string
	// Charge is the request units that the request cost, where somebody asked
	// for it (diagnostics, observers), else 0.
	Charge float64
	// Partition is the physical partition that answered, where somebody asked
	// for it and the answer told it, else empty.
	Partition string
	// ActivityID names the request in the service's own logs.
	ActivityID string
	// Err is why no answer arrived, nil when one did.
	Err error

	outcome Outcome
	visit   int
}

// Outcome is the attempt's end in the terms of the retry rules.
func (a *Attempt) Outcome() Outcome { return a.outcome }

// String tells where the request went and how it ended: "East US: 503".
func (a *Attempt) String() string { return a.where() + ": " + a.result() }

func (a *Attempt) where() string {
	if a.Region != "" {
		return a.Region
	}
	return a.Host
}

func (a *Attempt) result() string {
	switch {
	case a.Err != nil:
		return line(a.Err)
	case a.SubStatus != 0:
		return fmt.Sprintf("%d/%d", a.Status, a.SubStatus)
	}
	return fmt.Sprint(a.Status)
}
