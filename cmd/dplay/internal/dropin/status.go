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
	judge := (*Status).besideGame
	if t.Prefix {
		reg, err := readWineRegistry(t.path("user.reg"))
		if err != nil {
			return nil, err
		}
		judge = func(s *Status, image Image) { s.inPrefix(reg, image) }
	}
	for _, d := range t.dlls() {
		s := Status{Name: d.name, Arch: d.arch}
		found, err := present(filepath.Dir(t.path(d.file)), d.name)
		if err != nil {
			return nil, err
		}
		image := Image{Kind: None}
		if len(found) > 0 {
			s.File = path.Join(path.Dir(d.file), found[0])
			image, _ = Examine(t.path(s.File))
		}
		s.Is, s.Version = image.Kind, image.Version
		judge(&s, image)
		list = append(list, s)
	}
	return list, nil
}

// inPrefix says what a program in the prefix gets that brings no such DLL itself.
func (s *Status) inPrefix(reg *wineRegistry, image Image) {
	base := strings.TrimSuffix(s.Name, ".dll")
	value, set := reg.value(overrides, base)
	if !set {
		value, set = reg.value(overrides, "*"+base)
	}
	s.Override, s.Loads = value.text, Wine
	switch {
	case set && strings.TrimSpace(value.text) == "":
		s.Loads, s.Why = None, "an override disables it"
	case image.Kind == None || image.Kind == Wine:
		s.Why = "nothing else is in the system folder"
	case image.Arch != s.Arch:
		s.Why = "the file in the system folder is of another architecture"
	case !set:
		s.Why = "without an override Wine prefers its own"
	case strings.HasPrefix(value.text, "n"):
		s.Loads, s.Why = image.Kind, "it is in the system folder, and the override prefers it"
	default:
		s.Why = "the override prefers Wine's"
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
