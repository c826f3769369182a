package filter

import (
	"maps"
	"slices"
)

// What an expression looks for, and whether a message had it: a field that exists, but not in the messages that were looked
// at, is a slip that no error can tell.
type sought map[string]bool

// note remembers a value that was looked for.
func (s sought) note(name string, v any) {
	if found, known := s[name]; !known || v != nil && !found {
		s[name] = v != nil
	}
}

// member is member, and remembers keys of objects.
func (c *filterContext) member(from, key any) any {
	v := member(from, key)
	if name, ok := key.(string); ok {
		if _, ok := from.(map[string]any); ok {
			c.sought.note(name, v)
		}
	}
	return v
}

// Absent returns the names of what the expression looked for in messages of which none had it, sorted. It starts anew.
func (f *Filter) Absent() (names []string) {
	if f == nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(f.context.sought)) {
		if !f.context.sought[name] {
			names = append(names, name)
		}
	}
	clear(f.context.sought)
	return names
}
