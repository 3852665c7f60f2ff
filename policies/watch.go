package policies

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"
)

// WatchOptions configures [NewWatcher]. Nil and the zero value mean the defaults.
type WatchOptions struct {
	// Logger is told of each change that was applied (Info), of each file that
	// could not be (Warn), and when changes have to be looked for because the
	// system does not report them (Warn). Nil: [slog.Default].
	Logger *slog.Logger
	// OnChange, when set, is called with the settings now in force whenever a
	// change has been applied, or a file that was wrong is right again; and with
	// nil and an error when the file cannot be applied and the old settings stay.
	// It is called by one goroutine, must not change the settings, and must not
	// call Close. Nil: nobody is.
	OnChange func(*Settings, error)
	// Interval is the time between two looks at the file where the system does
	// not report changes. Where it does, there are looks all the same, 12 times
	// as far apart, for file systems that do not tell what others write.
	// Default: 5 s; negative means the default too.
	Interval time.Duration

	settle time.Duration                     // without a report, before a look
	notify func() (*fsnotify.Watcher, error) // makes what reports changes
}

func (o *WatchOptions) withDefaults() WatchOptions {
	var c WatchOptions
	if o != nil {
		c = *o
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	if c.Interval <= 0 {
		c.Interval = 5 * time.Second
	}
	if c.settle == 0 {
		c.settle = 100 * time.Millisecond
	}
	if c.notify == nil {
		c.notify = fsnotify.NewWatcher
	}
	return c
}

// Watcher keeps the settings of running clients the same as a file. It has one
// goroutine, and one of the system's change reports; Close ends both. It is safe
// for concurrent use.
type Watcher struct {
	path    string
	sets    []*Set
	options WatchOptions
	reports *fsnotify.Watcher // nil: the system does not report changes
	polling atomic.Bool
	state   atomic.Pointer[watchState]

	closing sync.Once
	stop    chan struct{}
	done    chan struct{}

	// Of the goroutine alone.
	content []byte // of the file, as it was applied
	suspect string // a problem that was seen once
	told    string // the problem that was told
	warned  bool   // that changes are not reported
}

type watchState struct {
	settings *Settings
	err      error
}

// WatchSettings applies the settings in a file to sets, and again whenever the
// file changes, until the watcher is closed. The file is what [ParseSettings]
// reads, at most 1 MiB of it. A file that is wrong or missing at the start is an
// error, and so is a set that cannot have its settings.
//
// Later, a file that is wrong, half written or gone changes nothing: the old
// settings stay in force and the logger says why; see [Watcher.Err]. Files that
// are replaced as a whole, by an editor or through symbolic links as Kubernetes
// does with a ConfigMap, are followed. A change holds for operations that start
// after it, within about 0.2 s.
func WatchSettings(path string, sets ...*Set) (*Watcher, error) {
	return NewWatcher(path, nil, sets...)
}

// NewWatcher is [WatchSettings] with options; nil means the defaults. Without
// sets the file's settings go to OnChange alone, for policies that were made
// without [Install].
func NewWatcher(path string, o *WatchOptions, sets ...*Set) (*Watcher, error) {
	for i, set := range sets {
		if set == nil {
			return nil, fmt.Errorf("policies: sets[%d] is nil: want what Install returned", i)
		}
	}
	// Later changes of the working directory are not the file's.
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("policies: %w", err)
	}
	w := &Watcher{
		path: absolute, sets: sets, options: o.withDefaults(),
		stop: make(chan struct{}), done: make(chan struct{}),
	}
	w.state.Store(new(watchState))
	w.watch() // before the first look, so that no change falls between
	if err := w.start(); err != nil {
		return nil, errors.Join(err, w.closeReports())
	}
	go w.run()
	return w, nil
}

func (w *Watcher) start() error {
	content, settings, err := readSettings(w.path)
	if err != nil {
		return fmt.Errorf("policies: %w", err)
	}
	if err := w.apply(settings); err != nil {
		return err
	}
	w.content = content
	w.state.Store(&watchState{settings: settings})
	return nil
}

// Settings returns the file's settings that are in force: those of the last
// file that could be applied. They must not be changed.
func (w *Watcher) Settings() *Settings { return w.state.Load().settings }

// Err says why the file is not in force as it is now, nil while it is. It says so
// when the file has been wrong for half a second, since one that is being written
// is wrong for a moment.
func (w *Watcher) Err() error { return w.state.Load().err }

// Polling reports whether changes are looked for every Interval because the
// system does not report them, as when its limits on watches are reached.
func (w *Watcher) Polling() bool { return w.polling.Load() }

// Close ends the watching and waits for its goroutines. The settings stay as
// they are. Closing again does nothing.
func (w *Watcher) Close() error {
	var err error
	w.closing.Do(func() {
		close(w.stop)
		<-w.done
		err = w.closeReports()
	})
	return err
}

func (w *Watcher) closeReports() error {
	if w.reports == nil {
		return nil
	}
	return w.reports.Close()
}
