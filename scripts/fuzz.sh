#!/usr/bin/env bash
# Fuzzes every target of the root module for the given time, one after the other:
# go test fuzzes only one at a time.
set -euo pipefail
cd "$(dirname "$0")/.."

time=${1:?how long, such as 5s}
count=0
while read -r package; do
	# A package that does not compile must fail here, not look as if it had no targets.
	names=$(go test -list '^Fuzz' "$package")
	for name in $(grep '^Fuzz' <<<"$names" || true); do
		echo "$package $name"
		go test -run '^$' -fuzz "^$name\$" -fuzztime "$time" "$package"
		count=$((count + 1))
	done
done < <(go list ./...)
echo "$count fuzz targets, $time each"
