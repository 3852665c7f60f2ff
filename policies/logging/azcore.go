package logging

import (
	"log/slog"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/log"
)

// AzcoreOptions configures [ListenAzcore]. Nil and the zero value mean the
// defaults.
type AzcoreOptions struct {
	// Events are those of azcore that are logged. Nil: [log.EventResponseError]
	// alone. Empty: none. The events of every request, such as [log.EventRequest]
	// and [log.EventRetryPolicy], cost their text even while nobody logs it.
	Events []log.Event
}

// ListenAzcore logs what azcore and azcosmos themselves write to azcore's log:
// responses that are errors at level Info, all else at level Debug, on one line
// and without bodies and credentials. (azcosmos 1.4 writes the signature of a
// request that is answered 403 there.) A nil logger means [slog.Default].
//
// azcore has one listener per process: this one takes its place, and stop
// removes it. Neither is safe while clients are at work; call them before the
// first client is made and after the last request.
func ListenAzcore(logger *slog.Logger, o *AzcoreOptions) (stop func()) {
	if logger == nil {
		logger = slog.Default()
	}
	events := []log.Event{log.EventResponseError}
	if o != nil && o.Events != nil {
		events = append([]log.Event(nil), o.Events...)
	}
	if len(events) == 0 {
		return func() {}
	}
	log.SetEvents(events...)
	log.SetListener(func(e log.Event, text string) {
		write := logger.Debug
		if e == log.EventResponseError {
			write = logger.Info
		}
		write("azcore: "+string(e), "text", oneLine(e, text))
	})
	return func() {
		log.SetListener(nil)
		log.SetEvents()
	}
}

// longestText bounds an entry: an error of a transport comes with its stack.
const longestText = 2000

// oneLine is a text of azcore's without its body and credentials, on one line.
// azcore draws a line before a response and before a body; so a request has
// its body in the second part, and everything else in the third.
func oneLine(e log.Event, text string) string {
	parts := 2
	if e == log.EventRequest {
		parts = 1
	}
	var lines []string
	secret := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.Trim(line, "=") == "":
			continue
		case strings.Trim(line, "-") == "":
			parts--
		default:
			named := namesCredential(line)
			if secret || isCredential(line) {
				line = "REDACTED"
			}
			secret = named
			lines = append(lines, line)
		}
		if parts == 0 {
			break
		}
	}
	text = strings.Join(lines, "; ")
	if len(text) > longestText {
		text = strings.ToValidUTF8(text[:longestText], "") + "…"
	}
	return text
}

// namesCredential reports whether the next line is a credential.
func namesCredential(line string) bool {
	return strings.HasSuffix(strings.ToLower(line), "authorization:")
}

// isCredential reports whether a line has a credential in it: azcore writes
// REDACTED itself, unless it was told not to.
func isCredential(line string) bool {
	line = strings.ToLower(line)
	if strings.HasPrefix(line, "authorization: ") && !strings.HasSuffix(line, " redacted") {
		return true
	}
	for _, mark := range [...]string{"sig=", "sig%3d", "bearer ", "accountkey="} {
		if strings.Contains(line, mark) {
			return true
		}
	}
	return false
}
