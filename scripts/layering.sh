#!/usr/bin/env bash
# Checks which package imports which. Dependencies point one way:
#
#	internal ← regioncache ← policies/{throttle,failover,session} ← policies ← compat ← examples
#
# and each layer has a list of modules that it may use besides the standard
# library. The other folders of policies (telemetry, debug, …) are extensions,
# between policies and compat. One that needs further modules is a module of its
# own, which may use what it likes. Tests may import what they like.
set -euo pipefail
cd "$(dirname "$0")/.."

# The imports of all packages, one a line: package, import. -e lets an import
# that makes a cycle be named here.
imports() {
	go list -e -f '{{$p := .ImportPath}}{{range .Imports}}{{$p}} {{.}}{{"\n"}}{{end}}' ./...
}

nested=()
while read -r file; do nested+=("${file%/go.mod}"); done < <(find policies examples -name go.mod | sort)

{
	imports
	for module in "${nested[@]}"; do (cd "$module" && imports); done
} | awk -v nested="${nested[*]}" '
BEGIN {
	module = "github.com/cosmosretry/cosmosretry/"
	azcore = "github.com/Azure/azure-sdk-for-go/sdk/azcore"
	azcosmos = "github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	split("internal regioncache policy policies extension compat examples", order)
	for (i in order) rank[order[i]] = i
	split(nested, own, " ")

	allowed["internal"] = azcore
	allowed["regioncache"] = "github.com/hashicorp/golang-lru/v2 github.com/sony/gobreaker/v2"
	allowed["policy"] = azcore
	allowed["policies"] = azcore " " azcosmos " github.com/fsnotify/fsnotify"
	allowed["extension"] = azcore " " azcosmos
	allowed["compat"] = azcore " " azcosmos
}

function layer(path) {
	if (path ~ "^policies/(throttle|failover|session)(/|$)") return "policy"
	if (path ~ "^policies/") return "extension"
	sub("/.*", "", path)
	return path
}

# independent reports whether a package is in a module of its own.
function independent(path,    i) {
	for (i in own)
		if (path == own[i] || index(path, own[i] "/") == 1) return 1
	return 0
}

function complain(text) {
	print $1 " imports " $2 ":\n    " text
	broken++
}

# permitted reports whether a layer may import a package of another module.
function permitted(l, path,    list, n, i) {
	n = split(allowed[l], list, " ")
	for (i = 1; i <= n; i++)
		if (path == list[i] || index(path, list[i] "/") == 1) return 1
	return 0
}

{ checked++ }

index($2, module) == 1 {
	from = substr($1, length(module) + 1)
	to = substr($2, length(module) + 1)
	if (!(layer(from) in rank) || !(layer(to) in rank))
		complain("a package outside the layers; give it a place in scripts/layering.sh")
	else if (rank[layer(to)] > rank[layer(from)])
		complain(layer(to) " stands above " layer(from) "; dependencies point from compat down to internal")
	else if (layer(from) == "policy" && layer(to) == "policy" && from != to)
		complain("each policy works alone; what two of them share belongs into internal")
	else if (from ~ "^compat/cosmostest" && to != "compat/cosmostest")
		complain("the account that the tests run against shares no code with what they test")
	next
}

# Everything else with a dot in its first element comes from another module.
$2 ~ "^[^/]*\\." {
	from = substr($1, length(module) + 1)
	l = layer(from)
	if (!independent(from) && !permitted(l, $2))
		complain(l " may import " (allowed[l] ? allowed[l] : "nothing") " besides the standard library")
}

END {
	if (!checked) { print "nothing was checked: go list printed no imports"; exit 1 }
	if (broken) { print "layering: " broken " imports are out of place"; exit 1 }
	print "layering: " checked " imports, all in place"
}
'
