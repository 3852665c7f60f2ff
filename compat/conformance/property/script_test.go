package property

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
	"github.com/cosmosretry/cosmosretry/policies"
)

// world is an account, a client of it, and the scripts that they run through.
type world struct {
	seed     uint64
	account  shape
	client   client
	settings policies.Settings
	// cold worlds have account reads that fail from the start; the others read the account once before the first script.
	cold    bool
	scripts []script
	// together: the scripts do not wait for each other.
	together bool
}

// shape is what an account says about itself.
type shape struct {
	regions []string // readable, account order
	write   []string
	multi   bool
	ppaf    bool
}

// client is what a client prefers and how its policies are put together.
type client struct {
	preferred, excluded []string
	// order lists the policies as they stand in PerRetryPolicies; nil is policies.Install.
	order []string
}

// script is one operation and how the account answers it.
type script struct {
	kind     string
	key      string // partition key value
	size     int    // of the item
	session  string
	excluded []string
	deadline time.Duration
	cancel   time.Duration
	advance  time.Duration
	once     bool // the caller opted this write out of repetition
	change   *shape
	changes  []change
	faults   []cosmostest.Fault
}

// change is a new shape of the account while a script is under way.
type change struct {
	after time.Duration
	shape shape
}

func (w *world) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: %s\n  preferred %q, excluded %q, policies %q, cold %v, together %v\n  settings %v\n",
		w.seed, w.account, w.client.preferred, w.client.excluded, w.client.order, w.cold, w.together, w.turned())
	for i := range w.scripts {
		fmt.Fprintf(&b, "  script %d: %s", i+1, &w.scripts[i])
	}
	return b.String()
}

// turned are the settings that are not zero.
func (w *world) turned() map[string]any {
	document, _ := json.Marshal(w.settings) // strings and numbers: cannot fail
	var settings map[string]any
	_ = json.Unmarshal(document, &settings)
	return withoutZeros(settings)
}

func withoutZeros(settings map[string]any) map[string]any {
	for name, value := range settings {
		switch v := value.(type) {
		case map[string]any:
			if len(withoutZeros(v)) == 0 {
				delete(settings, name)
			}
		case nil:
			delete(settings, name)
		default:
			if v == 0.0 || v == "0s" {
				delete(settings, name)
			}
		}
	}
	return settings
}

// shapes are all that the account has in the course of the world.
func (w *world) shapes() []shape {
	shapes := []shape{w.account}
	for i := range w.scripts {
		if c := w.scripts[i].change; c != nil {
			shapes = append(shapes, *c)
		}
		for _, c := range w.scripts[i].changes {
			shapes = append(shapes, c.shape)
		}
	}
	return shapes
}

func (s shape) String() string {
	return fmt.Sprintf("regions %q, write %q, multi-write %v, ppaf %v", s.regions, s.write, s.multi, s.ppaf)
}

func (s *script) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s key %q, size %d", s.kind, s.key, s.size)
	for name, value := range map[string]time.Duration{"deadline": s.deadline, "cancel": s.cancel, "advance": s.advance} {
		if value != 0 {
			fmt.Fprintf(&b, ", %s %v", name, value)
		}
	}
	if s.session != "" {
		fmt.Fprintf(&b, ", session %q", s.session)
	}
	if len(s.excluded) > 0 {
		fmt.Fprintf(&b, ", excluded %q", s.excluded)
	}
	if s.once {
		b.WriteString(", opted out")
	}
	b.WriteString("\n")
	if s.change != nil {
		fmt.Fprintf(&b, "    before: %s\n", s.change)
	}
	for _, c := range s.changes {
		fmt.Fprintf(&b, "    after %v: %s\n", c.after, c.shape)
	}
	for i := range s.faults {
		fmt.Fprintf(&b, "    fault: %s\n", faultLine(&s.faults[i]))
	}
	return b.String()
}

func faultLine(f *cosmostest.Fault) string {
	what := f.Transport.String()
	if what == "" {
		what = fmt.Sprintf("%d/%d", f.Status, f.SubStatus)
	}
	line := fmt.Sprintf("at %q %s", f.Region, what)
	if f.Account {
		line += " on account reads"
	}
	if f.Times > 0 {
		line += fmt.Sprintf(" ×%d", f.Times)
	}
	if f.Delay > 0 {
		line += fmt.Sprintf(" after %v", f.Delay)
	}
	if len(f.Header) > 0 {
		line += fmt.Sprintf(" %v", f.Header)
	}
	if f.Body != nil {
		line += fmt.Sprintf(" body of %d bytes", len(*f.Body))
	}
	if f.Applied {
		line += " applied"
	}
	return line
}

// writes reports whether the script's operation may change the account.
func (s *script) writes() bool {
	switch s.kind {
	case "read", "query", "queryAcross", "readContainer", "readDatabase":
		return false
	}
	return true
}

// metadata reports whether the script's operation is about the container, not its items.
func (s *script) metadata() bool {
	switch s.kind {
	case "readContainer", "readDatabase", "createContainer":
		return true
	}
	return false
}

// unrepeatable reports whether the operation must not be sent again after an attempt that may have been executed.
func (s *script) unrepeatable() bool {
	return s.kind == "sproc" || s.once && s.writes()
}
