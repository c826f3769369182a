package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"dplay4/internal/sim"
)

// A simulated run is named by the kind of its options and its seed.
type simulated struct {
	kind sim.Kind
	seed uint64
}

func (s simulated) String() string { return fmt.Sprintf("%s %d", s.kind, s.seed) }

// keptKinds are the kinds of runs for which the seeds of a file of internal/sim/testdata are kept.
var keptKinds = map[string][]sim.Kind{
	"failed-seeds.txt":   {sim.First, sim.Swapped},
	"failed-draws.txt":   {sim.Held},
	"failed-lobbies.txt": {sim.InLobby},
	"failed-frames.txt":  {sim.Framed},
}

// A schedule is an endless sequence of runs, the same for all mutants. Those that ever failed take turns with new ones.
type schedule struct {
	kept []simulated
	base uint64 // the first new seed
}

// newSchedule reads the kept seeds from a folder.
func newSchedule(folder fs.FS, base uint64) (*schedule, error) {
	names, err := fs.Glob(folder, "failed-*.txt")
	if err != nil {
		return nil, err
	}
	s := &schedule{base: base}
	for _, name := range names {
		kinds := keptKinds[name]
		if kinds == nil {
			return nil, fmt.Errorf("%s: keptKinds in schedule.go does not have the kind of its runs", name)
		}
		text, err := fs.ReadFile(folder, name)
		if err != nil {
			return nil, err
		}
		seeds, err := sim.ParseSeeds(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path.Base(name), err)
		}
		for _, seed := range seeds {
			for _, k := range kinds {
				if r := (simulated{k, seed}); !slices.Contains(s.kept, r) {
					s.kept = append(s.kept, r)
				}
			}
		}
	}
	if len(s.kept) == 0 {
		return nil, errors.New("there are no files failed-*.txt with seeds")
	}
	return s, nil
}

// at returns run i. Of the new ones each fourth has the reliable protocol.
func (s *schedule) at(i int) simulated {
	switch {
	case i < 2*len(s.kept) && i%2 == 0:
		return s.kept[i/2]
	case i < 2*len(s.kept):
		i /= 2
	default:
		i -= len(s.kept)
	}
	if i%4 == 3 {
		return simulated{sim.Framed, s.base + uint64(i)}
	}
	return simulated{sim.Held, s.base + uint64(i)}
}
