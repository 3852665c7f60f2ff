package main

import (
	"strconv"
	"strings"

	"github.com/cosmosretry/cosmosretry/compat/cosmostest"
)

// knows reports whether an account has, or had, a region; the global endpoint counts as one.
func knows(account *cosmostest.Account, region string) bool {
	return sameRegion(region, "global") || account.RegionEndpoint(region) != ""
}

// squeezed is the name of a region as an account compares it: without regard to case, spaces, hyphens and underscores.
func squeezed(region string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "-", "", "_", "").Replace(region))
}

func sameRegion(x, y string) bool { return squeezed(x) == squeezed(y) }

func quoted(text string) string { return strconv.Quote(text) }

// listed is names as an error shows them.
func listed(names []string) string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = quoted(name)
	}
	return strings.Join(out, ", ")
}
