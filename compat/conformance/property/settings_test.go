package property

import (
	"time"

	"github.com/cosmosretry/cosmosretry/policies"
)

// settings draws the settings of a client: mostly the defaults, with a few numbers turned.
func (d dice) settings() policies.Settings {
	var s policies.Settings
	d.limits(&s)
	d.regionSettings(&s)
	d.breakerSettings(&s)
	if d.oneIn(10) {
		s.OperationTimeout = ms(d, 1, 500, 3000, 20000, -1)
	}
	return s
}

// ms draws a duration of so many milliseconds; negative is off.
func ms(d dice, choices ...int) policies.Duration {
	return policies.Duration(time.Duration(pick(d, choices...)) * time.Millisecond)
}

func (d dice) limits(s *policies.Settings) {
	// The default of 120 retries makes a script a hundred times as expensive as the others.
	if d.percent(85) {
		s.Failover.Backend.MaxRetries = pick(d, -1, 1, 2, 3, 5, 9)
	}
	if d.oneIn(6) {
		s.Failover.Backend.Delay = ms(d, -1, 1, 100, 2000)
	}
	if d.oneIn(4) {
		s.Failover.MaxRetries = pick(d, -1, 1, 2, 5, 12)
	}
	if d.oneIn(5) {
		s.Failover.LocalRetries = pick(d, -1, 2, 4)
	}
	if d.oneIn(5) {
		s.Session.MaxRetries = pick(d, -1, 1, 4)
	}
	if d.oneIn(4) {
		s.Throttle.MaxRetries = pick(d, -1, 1, 3, 14)
	}
	if d.oneIn(6) {
		s.Throttle.MaxWait = ms(d, -1, 60, 2000, 40000)
	}
	if d.oneIn(8) {
		s.Throttle.BaseDelay, s.Throttle.MaxDelay = ms(d, -1, 1, 100), ms(d, -1, 50, 10000)
	}
	if d.oneIn(5) {
		s.Throttle.RetryWith = policies.RetryWithSettings{MaxWait: ms(d, -1, 0, 200, 3000), BaseDelay: ms(d, -1, 0, 0, 1, 40), MaxDelay: ms(d, -1, 0, 0, 20)}
	}
	t := &s.Failover.AttemptTimeout
	if d.oneIn(4) {
		t.Point, t.Query, t.Metadata, t.Account = ms(d, -1, 0, 50, 1000), ms(d, 0, 80, 2000), ms(d, 0, 70, 3000), ms(d, 0, 500)
	}
}

func (d dice) regionSettings(s *policies.Settings) {
	if d.oneIn(25) {
		off := false
		s.Regions.Discovery = &off
	}
	if d.oneIn(8) {
		s.Regions.UnavailableFor = ms(d, -1, 1, 5000)
	}
	if d.oneIn(8) {
		s.Regions.RefreshInterval = ms(d, -1, 1, 20000)
	}
}

func (d dice) breakerSettings(s *policies.Settings) {
	if d.oneIn(8) {
		on := d.oneIn(2)
		s.Breaker.Enabled = &on
	}
	if d.percent(60) {
		s.Breaker.ReadFailures, s.Breaker.WriteFailures = pick(d, 1, 2, 3, -1), pick(d, 1, 2, 3, -1)
	}
	if d.oneIn(6) {
		s.Breaker.UnavailableFor, s.Breaker.CounterReset = ms(d, 1, 100, 30000), ms(d, -1, 1, 3000)
	}
	if d.oneIn(10) {
		s.Breaker.Capacity = pick(d, 1, 2)
	}
}
