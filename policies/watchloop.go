package policies

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	maxSettingsFile = 1 << 20 // bytes
	seldom          = 12      // intervals between looks where changes are reported
	patience        = 10      // settle times that a file may go on changing before a look
	suspense        = 5       // settle times before a wrong file is told of
)

// watch begins the reports of changes, if the system has any.
func (w *Watcher) watch() {
	reports, err := w.options.notify()
	if err != nil {
		w.poll(err)
		return
	}
	w.reports = reports
	w.follow()
}

// follow watches the directory of the file, and that of the file which it is a
// symbolic link to. Both may have changed. A directory is watched and not the
// file, because a file that is replaced takes its watch along.
func (w *Watcher) follow() {
	if w.reports == nil {
		return
	}
	directories := []string{filepath.Dir(w.path)}
	if target, err := filepath.EvalSymlinks(w.path); err == nil && filepath.Dir(target) != directories[0] {
		directories = append(directories, filepath.Dir(target))
	}
	for _, old := range w.reports.WatchList() {
		if !slices.Contains(directories, old) {
			_ = w.reports.Remove(old) // it may be gone by itself
		}
	}
	for _, directory := range directories {
		if err := w.reports.Add(directory); err != nil {
			w.poll(err)
			return
		}
	}
	w.polling.Store(false)
	w.warned = false
}

// poll makes the looks frequent, and says why. A directory that is not there is
// told of as a file that is not.
func (w *Watcher) poll(err error) {
	w.polling.Store(true)
	if w.warned || errors.Is(err, fs.ErrNotExist) {
		return
	}
	w.warned = true
	w.options.Logger.Warn("policies: changes of the settings are not reported, looking for them",
		"path", w.path, "every", w.options.Interval, "error", err)
}

// run looks at the file when its changes have settled, and now and then.
func (w *Watcher) run() {
	defer close(w.done)
	var events chan fsnotify.Event
	var failures chan error
	if w.reports != nil {
		events, failures = w.reports.Events, w.reports.Errors
	}
	timer := time.NewTimer(w.rest())
	defer timer.Stop()
	var since time.Time // reports that no look has followed
	for {
		select {
		case <-w.stop:
			return
		case _, ok := <-events:
			if !ok {
				events = nil
			}
		case _, ok := <-failures: // reports were lost: look
			if !ok {
				failures = nil
			}
		case <-timer.C:
			w.follow()
			since = time.Time{}
			timer.Reset(w.look())
			continue
		}
		if since.IsZero() {
			since = time.Now()
		}
		timer.Reset(min(w.options.settle, max(0, time.Until(since.Add(patience*w.options.settle)))))
	}
}

// rest is the time until the next look, unless a change is reported.
func (w *Watcher) rest() time.Duration {
	if w.polling.Load() {
		return w.options.Interval
	}
	return seldom * w.options.Interval
}

// look applies the file if it has changed, and returns the time until the next look.
func (w *Watcher) look() time.Duration {
	content, settings, err := readSettings(w.path)
	switch {
	case err == nil && bytes.Equal(content, w.content):
		w.recovered()
		return w.rest()
	case err == nil:
		err = w.apply(settings)
	}
	if err != nil {
		return w.problem(err)
	}
	w.content, w.suspect, w.told = content, "", ""
	w.state.Store(&watchState{settings: settings})
	w.options.Logger.Info("policies: the settings have changed", "path", w.path)
	w.changed(settings, nil)
	return w.rest()
}

// problem tells of a file that cannot be applied, once it has stayed so: it may
// be in the middle of being written.
func (w *Watcher) problem(err error) time.Duration {
	switch text := err.Error(); text {
	case w.told:
	case w.suspect:
		w.told = text
		w.state.Store(&watchState{settings: w.Settings(), err: err})
		w.options.Logger.Warn("policies: the settings stay as they are", "path", w.path, "error", err)
		w.changed(nil, err)
	default:
		w.suspect = text
		return suspense * w.options.settle
	}
	return w.rest()
}

// recovered tells that the file is again what is in force.
func (w *Watcher) recovered() {
	w.suspect = ""
	if w.told == "" {
		return
	}
	w.told = ""
	settings := w.Settings()
	w.state.Store(&watchState{settings: settings})
	w.options.Logger.Info("policies: the settings are as before again", "path", w.path)
	w.changed(settings, nil)
}

func (w *Watcher) changed(settings *Settings, err error) {
	if w.options.OnChange != nil {
		w.options.OnChange(settings, err)
	}
}

// apply gives all sets the settings, or none of them.
func (w *Watcher) apply(settings *Settings) error {
	for i, set := range w.sets {
		err := set.Apply(settings)
		if err == nil {
			continue
		}
		for _, changed := range w.sets[:i] {
			before := w.Settings()
			if before == nil {
				before = changed.options.Settings
			}
			err = errors.Join(err, changed.Apply(before))
		}
		return fmt.Errorf("%w (in %s)", err, w.path)
	}
	return nil
}

func readSettings(path string) ([]byte, *Settings, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxSettingsFile+1))
	if err != nil {
		return nil, nil, err
	}
	if len(content) > maxSettingsFile {
		return nil, nil, fmt.Errorf("%s is longer than %d bytes", path, maxSettingsFile)
	}
	settings, err := ParseSettings(content)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return content, settings, nil
}
