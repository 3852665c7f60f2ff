#!/usr/bin/env bash
# The rules of this repository that no linter knows, each with its reason.
# Comments are not looked at. Lists every line that breaks a rule, then fails.
set -euo pipefail
cd "$(dirname "$0")/.."

failed=0
count=0

# find_go lists Go files below some folders: library, tests or all.
find_go() {
	local what=$1
	shift
	case $what in
	library) find "$@" -name '*.go' ! -name '*_test.go' ;;
	tests) find "$@" -name '*_test.go' ;;
	all) find "$@" -name '*.go' ;;
	esac | sort
}

# report takes offending lines, if any, and says which rule they break, and why.
report() {
	local rule=$1 reason=$2 lines=$3
	count=$((count + 1))
	[[ -z $lines ]] && return
	failed=$((failed + 1))
	printf '%s\n  because %s\n' "$rule" "$reason"
	sed 's/^/    /' <<<"$lines"
}

# search prints the lines that match a pattern outside comments, given the files.
search() {
	local pattern=$1
	shift
	[[ $# -eq 0 ]] || grep -nHE -e "$pattern" -- "$@" | grep -vE '^[^:]+:[0-9]+:[[:space:]]*//' || true
}

# except drops the lines of files whose path matches.
except() { grep -vE "^($1):" || true; }

mapfile -t library < <(find_go library internal regioncache policies compat)
mapfile -t policy < <(find_go library internal regioncache policies)
mapfile -t tests < <(find_go tests internal regioncache policies compat)
mapfile -t all < <(find_go all .)
mapfile -t bubbles < <(grep -lE 'synctest\.(Test|Wait)' "${tests[@]}")
mapfile -t deciders < <(find_go library internal/backoff internal/wire; ls policies/*/decide.go policies/*/rules.go)

# Time

report 'no time.Sleep( or time.After( in the library; use internal/wait' \
	'they do not end with the context: a caller who gave up would wait all the same' \
	"$(search 'time\.(Sleep|After)\(' "${library[@]}" | except 'internal/wait/.*')"

report 'no httptest.NewServer or net.Listen in a test that runs in a bubble; use an in-memory transport' \
	'a goroutine that waits for the network does not wait durably: virtual time stops and the test hangs' \
	"$(search '(httptest\.New(TLS|Unstarted)?Server|net\.Listen)\(' "${bubbles[@]}")"

report 'no time.Sleep( in the tests of a package without bubbles; run them in synctest.Test' \
	'the suite must take seconds and give the same result on a busy machine' \
	"$(for file in "${tests[@]}"; do grep -q 'testing/synctest' "${file%/*}"/*_test.go || search 'time\.Sleep\(' "$file"; done)"

# Decisions

report 'no clock, chance, lock, context, request or response where things are decided (decide.go, rules.go, internal/backoff, internal/wire)' \
	'a decision is a function of facts: a table can walk all of them, and a fuzzer too' \
	"$(search '(time\.(Now|Since|Until)|rand\.|sync\.|atomic\.|context\.|\*http\.(Request|Response)|policy\.Request)' "${deciders[@]}")"

report 'no os.Getenv or os.LookupEnv in the library outside policies' \
	'the environment fills settings in one place, where its values are checked and documented' \
	"$(search 'os\.(Getenv|LookupEnv|Environ)\b' "${library[@]}" | except 'policies/[^/]*')"

# Requests

report 'no RewindBody in the library; give each attempt a reader of its own' \
	'the transport may still read the body of an attempt that has ended, and a rewind cuts the retry short' \
	"$(search '\.RewindBody\(' "${policy[@]}")"

report 'no http.DefaultClient, DefaultTransport or http.Get in the library' \
	'requests go over the transport that the program gave its client, and no other' \
	"$(search 'http\.(DefaultClient|DefaultTransport|Get|Post|Head)\b' "${policy[@]}")"

# Goroutines

# Each of these lives only as long as what it serves: the account read, the events, a listener, a
# watcher that the program closes. A clock runs what context.AfterFunc was given in a goroutine. Programs have their own.
goroutines='regioncache/refresh\.go|internal/event/hub\.go|internal/attempt/clock\.go|policies/watch\.go|compat/cosmostest/(gate|server)\.go'
goroutines+='|compat/(cosmostest/cmd|interop)/.*'

report 'no go statement in the library, but for the account refresh, the event queue, clocks, the settings watcher and the listeners of cosmostest' \
	'a call that starts goroutines leaks them, and nobody can tell when a test is over' \
	"$(search '(^|[[:space:];{])go (func\b|[[:alnum:]_.]+\(|\()' "${library[@]}" | except "$goroutines")"

report 'no context.Background() or context.TODO() in the library, but for what serves no single request' \
	'what a request starts must end with the request' \
	"$(search 'context\.(Background|TODO)\(\)' "${library[@]}" | except "$goroutines|regioncache/events\.go")"

# Output

report 'no printing and no package log in the library' \
	'a library speaks through its results, its observers and the logger that it was given' \
	"$(search '(fmt\.Print(f|ln)?|log\.(Print|Fatal|Panic)(f|ln)?|println)\(' "${policy[@]}")"

# Tests and text

report 'no t.Skip' \
	'a test that does not run looks like one that passes' \
	"$(search '\b[tb]\.Skip(f|Now)?\(' "${all[@]}")"

report 'no TODO, FIXME or XXX' \
	'what is left to do belongs where it can be planned' \
	"$(grep -nHwE 'TODO|FIXME|XXX' "${all[@]}" | grep -v 'context\.TODO' || true)"

report 'no file of the library longer than 350 lines' \
	'a file holds one concern' \
	"$(wc -l "${library[@]}" | awk '$2 != "total" && $1 > 350 { print $2 ": " $1 " lines" }')"

report 'no spaces at the end of a line' \
	'they turn into noise in the next change' \
	"$(grep -nHE '[[:blank:]]$' "${all[@]}" $(find . -name node_modules -prune -o \( -name '*.md' -o -name '*.sh' -o -name Makefile \) -print | sort) || true)"

if ((failed)); then
	echo "rules: $failed of $count are broken" >&2
	exit 1
fi
echo "rules: all $count hold"
