//go:build !race

package simulation

const defaultHours = 2
