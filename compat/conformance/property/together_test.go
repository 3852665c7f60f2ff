package property

import (
	"slices"
	"strconv"
	"sync"
	"testing/synctest"
	"time"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

// apart is how much later than the script before each one begins, beside what it waits for: whole milliseconds pass
// between all that happens, so that of two scripts nothing happens at the same moment.
const apart = 11 * time.Microsecond

// playTogether runs the scripts without one waiting for the other. Each has its own faults; the changes of the account,
// and what the policies learn, concern them all.
func (p *player) playTogether(judge func(*outcome) bool) error {
	p.account.ResetLog()
	p.recorder.reset()
	var faults []cosmostest.Fault
	for i := range p.world.scripts {
		s := &p.world.scripts[i]
		if err := p.seed(s); err != nil {
			return err
		}
		faults = append(faults, s.ownFaults(i)...)
	}
	p.account.SetFaults(faults...)
	outcomes := make([]*outcome, len(p.world.scripts))
	var running sync.WaitGroup
	for i := range p.world.scripts {
		running.Go(func() {
			time.Sleep(p.world.scripts[i].advance + time.Duration(i)*apart)
			outcomes[i] = p.perform(i)
		})
	}
	running.Wait()
	synctest.Wait()
	for _, o := range outcomes {
		if err := o.collect(p); err != nil {
			return err
		}
		if !judge(o) {
			break
		}
	}
	return nil
}

// ownFaults are the faults of the script of an index, for its own requests alone.
func (s *script) ownFaults(index int) []cosmostest.Fault {
	faults := slices.Clone(s.faults)
	script := strconv.Itoa(index)
	for i := range faults {
		if !faults[i].Account {
			faults[i].Match = func(r *cosmostest.Request) bool { return r.Header.Get(scriptHeader) == script }
		}
	}
	return faults
}
