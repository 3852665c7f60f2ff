package deadletter

import "net/http"

// answer is how a letter that was sent again ended.
type answer struct {
	status, subStatus int // 0: none arrived
	session           string
	err               error
}

// verdict is what an answer means for the letter.
type verdict int

const (
	done     verdict = iota
	check            // refused; done if what it writes is there already, else a conflict
	conflict         // refused: the item is not as the write needs it
	later            // failed, and may succeed later
	never            // failed, and will again
)

// Sub-status codes that change what a status means.
const (
	subStatusWriteForbidden = 3
	subStatusNoSession      = 1002
	subStatusAccountGone    = 1008
	subStatusGlobalThrottle = 3092
)

// judge tells what the answer to a letter means. operation is that of the letter.
func judge(operation string, a answer) verdict {
	switch a.status {
	case 0, http.StatusRequestTimeout, http.StatusGone, http.StatusTooManyRequests, statusRetryWith:
		if a.err == nil {
			return done
		}
		return later
	case http.StatusConflict, http.StatusPreconditionFailed:
		return check
	case http.StatusNotFound:
		return missing(operation, a.subStatus)
	case http.StatusForbidden:
		if a.subStatus == subStatusWriteForbidden || a.subStatus == subStatusAccountGone {
			return later
		}
	}
	if a.status >= 500 {
		return later
	}
	return never
}

const statusRetryWith = 449

// missing judges a 404. With a sub-status it is not the item that is missing.
func missing(operation string, subStatus int) verdict {
	switch {
	case subStatus == subStatusNoSession:
		return later
	case subStatus != 0:
		return never
	case operation == "delete":
		return done
	case operation == "batch":
		return check
	}
	return conflict
}

// refusedAttempt reports whether a status says that the service surely did not
// execute a request.
func refusedAttempt(status, subStatus int) bool {
	switch {
	case status == http.StatusRequestTimeout, status == http.StatusTooManyRequests && subStatus == subStatusGlobalThrottle:
		return false
	}
	return status >= 400 && status < 500
}
