package events

import (
	"reflect"
	"slices"
	"strings"
)

// A Row has the name of a type of event and the function that makes its lines for people. W is what the function needs beside the event.
type Row[W any] struct {
	name string
	Of   reflect.Type
	text func(e any, with W) string
}

// On returns the row of the events of type E. text returns their lines for people, "" if there is none.
func On[E, W any](name string, text func(e E, with W) string) Row[W] {
	return Row[W]{name, reflect.TypeFor[E](), func(e any, with W) string { return text(e.(E), with) }}
}

// Silent returns the row of events without a line.
func Silent[E, W any](name string) Row[W] {
	return On(name, func(E, W) string { return "" })
}

// A Table has a row for each type of event.
type Table[W any] []Row[W]

// row returns the row of an event; one without a name and a line if there is none.
func (t Table[W]) row(e any) Row[W] {
	at := slices.IndexFunc(t, func(r Row[W]) bool { return r.Of == reflect.TypeOf(e) })
	if at < 0 {
		return Silent[any, W]("")
	}
	return t[at]
}

// Name returns the name of an event in JSON; "" if the table does not have it.
func (t Table[W]) Name(e any) string { return t.row(e).name }

// Names returns all names, in order.
func (t Table[W]) Names() (all []string) {
	for _, r := range t {
		all = append(all, r.name)
	}
	slices.Sort(all)
	return all
}

// Lines returns the lines of an event for people.
func (t Table[W]) Lines(e any, with W) []string {
	return strings.FieldsFunc(t.row(e).text(e, with), func(r rune) bool { return r == '\n' })
}
