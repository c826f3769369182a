package dropin

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// A Status is what a program would load for the name of a DLL.
type Status struct {
	Name     string `json:"name"`
	Arch     string `json:"arch"`     // of the program
	File     string `json:"file"`     // that is there, below the target's folder; "" if none is
	Is       Kind   `json:"is"`       // what the file is
	Version  string `json:"version"`  // of the file
	Override string `json:"override"` // of Wine; "" for none
	Loads    Kind   `json:"loads"`    // what a program gets
	Why      string `json:"why"`
}

// Status returns what programs would load.
func (t *Target) Status() (list []Status, err error) {
	var reg *wineRegistry
	if t.Prefix {
		if reg, err = readWineRegistry(t.path("user.reg")); err != nil {
			return nil, err
		}
	}
	for _, arch := range t.archs {
		for _, name := range Names {
			s := Status{Name: name, Arch: arch, Is: None}
			found, err := present(filepath.Dir(t.path(path.Join(t.folders[arch], name))), name)
			if err != nil {
				return nil, err
			}
			image := Image{Kind: None}
			if len(found) > 0 {
				s.File = path.Join(t.folders[arch], found[0])
				if image, err = Examine(t.path(s.File)); err != nil {
					image = Image{Kind: Other}
				}
				s.Is, s.Version = image.Kind, image.Version
			}
			if t.Prefix {
				s.inPrefix(reg, image)
			} else {
				s.besideGame(image)
			}
			list = append(list, s)
		}
	}
	return list, nil
}

// inPrefix says what a program in the prefix gets that brings no such DLL itself.
func (s *Status) inPrefix(reg *wineRegistry, image Image) {
	base := strings.TrimSuffix(s.Name, ".dll")
	value, _, set := reg.value(overrides, base)
	if !set {
		value, _, set = reg.value(overrides, "*"+base)
	}
	s.Override = value
	native := image.Kind != None && image.Kind != Wine && image.Arch == s.Arch
	switch {
	case set && strings.TrimSpace(value) == "":
		s.Loads, s.Why = None, "an override disables it"
	case native && set && strings.HasPrefix(value, "n"):
		s.Loads, s.Why = image.Kind, "it is in the system folder, and the override prefers it"
	case native && set:
		s.Loads, s.Why = Wine, "the override prefers Wine's"
	case native:
		s.Loads, s.Why = Wine, "without an override Wine prefers its own"
	case image.Kind != None && image.Kind != Wine:
		s.Loads, s.Why = Wine, "the file in the system folder is of another architecture"
	default:
		s.Loads, s.Why = Wine, "nothing else is in the system folder"
	}
	others := reg.applicationOverrides(base)
	for _, program := range slices.Sorted(maps.Keys(others)) {
		s.Why += fmt.Sprintf("; for %s alone the override is %s", program, shownOverride(others[program]))
	}
}

// besideGame says what the game gets.
func (s *Status) besideGame(image Image) {
	switch {
	case image.Kind == None:
		s.Loads, s.Why = None, "nothing is beside the game: it gets what the system has"
	case image.Arch != s.Arch:
		s.Loads, s.Why = None, fmt.Sprintf("the game is a %s-bit program, and cannot load what is beside it", bits[s.Arch])
	case image.Kind == Wine:
		s.Loads, s.Why = Wine, "the file beside the game stands for Wine's own"
	case runtime.GOOS == "windows":
		s.Loads, s.Why = image.Kind, "it is beside the game"
	default:
		base := strings.TrimSuffix(s.Name, ".dll")
		s.Loads, s.Why = image.Kind, fmt.Sprintf("it is beside the game; Wine takes it with WINEDLLOVERRIDES=%s=n,b or with such an override in the prefix", base)
	}
}
