package commands

import (
	"maps"
	"slices"
	"strings"

	"dplay4/wire"
)

// The names of flags that a program can set, in lower case.
var (
	playerFlagNames  = flagNames(wire.PlayerSpectator | wire.PlayerServerPlayer)
	groupFlagNames   = flagNames(wire.PlayerHiddenGroup | wire.PlayerStagingArea)
	sessionFlagNames = flagNames(^wire.SessionFlags(0))
)

// flagNames returns the flags of a word that have names, by these.
func flagNames[F interface {
	~uint32
	String() string
}](all F) map[string]uint32 {
	names := map[string]uint32{}
	for bit := range 32 {
		one := all & (1 << bit)
		if name := one.String(); !strings.HasPrefix(name, "0") {
			names[strings.ToLower(name)] = uint32(one)
		}
	}
	return names
}

// sortedNames returns the names of flags in the order of their bits.
func sortedNames(names map[string]uint32) []string {
	return slices.SortedFunc(maps.Keys(names), func(a, b string) int { return int(int64(names[a]) - int64(names[b])) })
}
