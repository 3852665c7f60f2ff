#!/usr/bin/env bash
# Tidies go.mod of every module, and derives the module files of the compat
# matrix from the root's: they differ from it in the version of azcosmos, and in
# what that version requires. With -check, changes nothing and fails if something
# would change.
set -euo pipefail
cd "$(dirname "$0")/.."

azcosmos=github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos
check=${1:-}
status=0

# tidy runs go mod tidy in the current folder.
tidy() {
	if [[ $check != -check ]]; then
		go mod tidy "$@"
	elif ! go mod tidy -diff "$@"; then
		echo "${PWD##*/}: go.mod is not tidy, run make tidy" >&2
		status=1
	fi
}

tidy
while read -r file; do
	pushd "${file%/go.mod}" >/dev/null
	tidy
	popd >/dev/null
done < <(find . -mindepth 2 -name go.mod | sort)

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for mod in compat/versions/azcosmos-*.mod; do
	version=${mod##*/azcosmos-}
	version=${version%.mod}
	sum=${mod%.mod}.sum
	derived=$scratch/derived.mod
	cp go.mod "$derived"
	cp go.sum "$scratch/derived.sum"
	go mod edit -require="$azcosmos@$version" "$derived"
	go mod tidy -modfile="$derived"
	if [[ $check != -check ]]; then
		cp "$derived" "$mod"
		cp "$scratch/derived.sum" "$sum"
	elif ! diff -u "$mod" "$derived" || ! diff -u "$sum" "$scratch/derived.sum"; then
		echo "$mod is not derived from go.mod, run make tidy" >&2
		status=1
	fi
done
exit "$status"
