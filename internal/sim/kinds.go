package sim

import (
	"fmt"
	"strconv"
	"strings"

	"dplay4/wire"
)

// A Kind is a way to make the options of a run out of a seed.
type Kind string

// The kinds.
const (
	Held    Kind = "held"    // what Draw returns, without the faults of NotHeld
	First   Kind = "first"   // with the faults that there were first, by which kept seeds failed
	Swapped Kind = "objects" // the same with objects where it has none, and without where it has some
	InLobby Kind = "lobby"   // only modern machines without loss, where many come at once and go
	Framed  Kind = "frames"  // as First, with the reliable protocol
)

// Options returns the options of a run of that kind.
func (k Kind) Options(seed uint64) (Options, error) {
	o := drawFirst(seed)
	switch k {
	case Held:
		o = held(seed)
	case First:
	case Swapped:
		if o.Objects > 0 {
			o.Objects = 0
		} else {
			o.Objects = 2
		}
	case InLobby:
		o = lobby(seed)
	case Framed:
		o = inFrames(seed)
	default:
		return o, fmt.Errorf("no kind of run is called %q", k)
	}
	return o, nil
}

// held returns the options of a seed without the faults under which the engine does not hold what it promises.
func held(seed uint64) Options {
	o := Draw(seed)
	o.Faults &^= NotHeld
	o.Complete()
	return o
}

// lobby returns the options of a seed that failed without loss, where machines come at once and go: nothing else is wrong.
func lobby(seed uint64) Options {
	o := drawFirst(seed)
	o.Faults, o.Flags = Lobby|Churn|Clocks, wire.SessionMigrateHost|wire.SessionKeepAlive
	o.Legacy = 0
	return o.Under(Modern, 0)
}

// inFrames returns the options of a seed in a session with the reliable protocol.
func inFrames(seed uint64) Options {
	o := drawFirst(seed)
	o.Flags |= wire.SessionDirectPlayProtocol
	o.Complete()
	return o
}

// ParseSeeds reads a list of seeds, such as those of testdata/failed-seeds.txt. A line is a seed and a remark, or begins with "#".
func ParseSeeds(text string) (seeds []uint64, err error) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if word == "" || word[0] == '#' {
			continue
		}
		seed, err := strconv.ParseUint(word, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("line %d: %q is no seed, which is a number", n, word)
		}
		seeds = append(seeds, seed)
	}
	return seeds, nil
}
