package property

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
	"github.com/cosmosretry/cosmosretry/regioncache"
)

const (
	databaseID, containerID, itemID = "db", "c", "item"

	// stuck is when an operation without a deadline is canceled; azcosmos reads the account again, in the background
	// and under a lock, for an operation that begins more than five minutes after the last read, so a world ends before.
	stuck    = 2 * time.Hour
	worldEnd = 4*time.Minute + 30*time.Second
	// settling lets everything end that was begun in the background.
	settling = 2 * time.Minute
)

// player runs the scripts of a world. It is not safe for concurrent use.
type player struct {
	world     *world
	account   *cosmostest.Account
	recorder  *recorder
	capture   *capture
	client    *azcosmos.Client
	database  *azcosmos.DatabaseClient
	container *azcosmos.ContainerClient
	pipeline  runtime.Pipeline
	broken    sabotage
	live      bool // the sabotage has begun
	began     time.Time
	ids       atomic.Int64
}

// play runs the scripts and hands each outcome to judge, until it says no.
func (p *player) play(judge func(*outcome) bool) error {
	defer time.Sleep(settling)
	if !p.world.cold {
		if _, err := p.container.Read(context.Background(), nil); err != nil {
			return fmt.Errorf("warm up: %w", err)
		}
	}
	p.live = true
	if p.world.together {
		return p.playTogether(judge)
	}
	return p.playInTurn(judge)
}

// playInTurn runs the scripts one after the other.
func (p *player) playInTurn(judge func(*outcome) bool) error {
	pristine := !p.world.cold
	for i := range p.world.scripts {
		s := &p.world.scripts[i]
		time.Sleep(s.advance)
		if p.world.cold && i == 1 {
			time.Sleep(time.Minute + 5*time.Second) // for azcosmos's own account read to end
		}
		if time.Since(p.began) > worldEnd {
			break
		}
		o, err := p.run(i)
		if err != nil {
			return fmt.Errorf("script %d cannot be run: %w", i+1, err)
		}
		if o.pristine = pristine; !judge(o) {
			break
		}
		pristine = pristine && o.harmless()
	}
	return nil
}

// run runs one script.
func (p *player) run(index int) (*outcome, error) {
	s := &p.world.scripts[index]
	if s.change != nil {
		if err := p.reshape(*s.change); err != nil {
			return nil, err
		}
	}
	if err := p.seed(s); err != nil {
		return nil, err
	}
	p.account.ResetLog()
	p.account.SetFaults(s.faults...)
	told := p.recorder.reset()
	o := p.perform(index)
	o.readsBefore = told
	synctest.Wait()
	return o, o.collect(p)
}

// seed puts the item there that the operation needs.
func (p *player) seed(s *script) error {
	if s.metadata() {
		return nil
	}
	return p.account.Seed(databaseID, containerID, s.fields(itemID))
}

// perform performs the operation of a script.
func (p *player) perform(index int) *outcome {
	s := &p.world.scripts[index]
	o := &outcome{world: p.world, index: index, cold: p.world.cold && index == 0, script: s, start: time.Now()}
	stop := p.schedule(s)
	ctx, cancel := s.context(index)
	p.do(ctx, o)
	o.elapsed = time.Since(o.start)
	cancel()
	stop()
	return o
}

// do performs the operation; a panic is a result too.
func (p *player) do(ctx context.Context, o *outcome) {
	defer func() {
		if reason := recover(); reason != nil {
			o.panicked = fmt.Sprintf("%v\n%s", reason, debug.Stack())
		}
	}()
	o.response, o.err = operations[o.script.kind](ctx, p, o.script)
}

// schedule lets the account change during the script; stop takes back what has not happened yet.
func (p *player) schedule(s *script) (stop func()) {
	var timers []*time.Timer
	for _, c := range s.changes {
		timers = append(timers, time.AfterFunc(c.after, func() { _ = p.reshape(c.shape) })) // valid by construction
	}
	return func() {
		for _, t := range timers {
			t.Stop()
		}
	}
}

func (p *player) reshape(s shape) error {
	p.recorder.setShape(s)
	return p.account.Update(func(c *cosmostest.Config) error {
		c.Regions, c.WriteRegions, c.MultiWrite, c.PPAF = s.regions, s.write, s.multi, s.ppaf
		return nil
	})
}

// context is that of the script's operation, with everything its caller asks for.
func (s *script) context(index int) (context.Context, context.CancelFunc) {
	ctx := context.WithValue(context.Background(), scriptKey{}, fmt.Sprint(index))
	ctx = regioncache.WithExcludedRegions(ctx, s.excluded...)
	if s.once {
		ctx = policies.WithWriteRetry(ctx, false)
	}
	ctx, cancel := context.WithCancel(ctx)
	after := stuck
	if s.cancel > 0 {
		after = s.cancel
	}
	timer := time.AfterFunc(after, cancel)
	release := func() { timer.Stop(); cancel() }
	if s.deadline == 0 {
		return ctx, release
	}
	ctx, end := context.WithTimeout(ctx, s.deadline)
	return ctx, func() { end(); release() }
}
