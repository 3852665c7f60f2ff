package conformance

import (
	"errors"
	"fmt"
	"time"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

// schedule lets the account change while the step is under way. The returned function takes back the changes that are
// still to come and tells what went wrong with the others.
func (s *stepSpec) schedule(account *cosmostest.Account) (stop func() error) {
	timers := make([]*time.Timer, len(s.Changes))
	failures := make(chan error, len(s.Changes))
	for i, change := range s.Changes {
		timers[i] = time.AfterFunc(time.Duration(change.After), func() {
			if err := change.Account.update(account); err != nil {
				failures <- fmt.Errorf("change %d: %w", i+1, err)
			}
		})
	}
	return func() error {
		for _, timer := range timers {
			timer.Stop()
		}
		select {
		case err := <-failures:
			return err
		default:
			return nil
		}
	}
}

// update changes a live account.
func (a *accountSpec) update(account *cosmostest.Account) error {
	return account.Update(func(config *cosmostest.Config) error {
		a.apply(config)
		return nil
	})
}

func (c *changeSpec) validate(regions []string) error {
	if c.After == 0 || c.Account == nil {
		return errors.New("after and account are required; what changes at once stands in the step's account")
	}
	return c.Account.validate(regions)
}
