// Package filter is the language of --filter: expressions over the fields of a message.
package filter

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/checker"
	"github.com/expr-lang/expr/compiler"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/optimizer"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/vm"

	"dplay4/captures"
)

// A Filter selects messages; nil selects all. Matches looks up only the words that the expression uses.
type Filter struct {
	program *vm.Program
	vm      vm.VM
	env     map[string]any
	needs   []lookup
	sought  map[string]bool // names that were looked for since the last Absent: a message had them
	failed  int
	failure error // the first one

	rec      *captures.Record // that is looked at
	work     int              // that is left for it
	fields   map[string]any   // of rec; nil until a word needs them
	reader   *reader
	patterns map[string]*pattern // the regular expressions in the expression
}

// New compiles an expression; it returns nil for "". Times without a zone are in the given zone. An error points at the
// wrong place of the expression.
func New(text string, zone *time.Location) (*Filter, error) {
	if text == "" {
		return nil, nil
	}
	if len(text) > maxText {
		return nil, fmt.Errorf("--filter: the expression has %d octets, more than the %d that one may have", len(text), maxText)
	}
	f := &Filter{env: map[string]any{}, vm: vm.VM{MemoryBudget: maxElements}, sought: map[string]bool{}, reader: newReader()}
	if err := f.compile(text, zone); err != nil {
		return nil, fmt.Errorf("--filter: %w", hinted(text, err))
	}
	return f, nil
}

// compile checks an expression as its author wrote it, so that errors are in the author's terms. It then replaces the
// operators and functions by those that accept absent fields and count their work.
func (f *Filter) compile(text string, zone *time.Location) error {
	config := conf.New(environment)
	f.define(config)
	tree, err := parser.ParseWithConfig(text, config)
	if err != nil {
		return err
	}
	check := &check{zone: zone, used: map[string]bool{}, patterns: map[string]*pattern{}}
	ast.Walk(&tree.Node, check)
	call(&tree.Node, "(truth)", tree.Node)
	_, err = checker.Check(tree, config)
	if place := new(file.Error); check.err != nil && (!errors.As(err, &place) || check.err.From <= place.From) {
		return check.err.Bind(tree.Source)
	} else if err != nil {
		return err
	}
	f.needs = slices.DeleteFunc(slices.Clone(lookups), func(l lookup) bool { return !check.used[l.name] && !check.used["$env"] })
	f.patterns = check.patterns
	ast.Walk(&tree.Node, lenient{})
	if _, err = checker.Check(tree, config); err == nil {
		err = optimizer.Optimize(&tree.Node, config)
	}
	if err == nil {
		f.program, err = compiler.Compile(tree, config)
	}
	return err
}

// Matches evaluates the expression for a message. A message for which the evaluation fails does not match; Failures
// counts it.
func (f *Filter) Matches(r *captures.Record) bool {
	if f == nil {
		return true
	}
	f.rec, f.fields, f.work = r, nil, maxWork
	for _, l := range f.needs {
		f.env[l.name] = f.note(l.name, l.get(f))
	}
	matches, err := f.vm.Run(f.program, f.env)
	if err != nil {
		f.failed++
		f.failure = cmp.Or(f.failure, err)
	}
	return matches == true
}

// note records that a name was looked for, and whether the message had it. It returns the value.
func (f *Filter) note(name string, v any) any {
	f.sought[name] = f.sought[name] || v != nil
	return v
}

// Failures returns one line with the number of messages for which the evaluation failed, and the first reason. It
// returns "" if there were none. It resets the count.
func (f *Filter) Failures() string {
	if f == nil || f.failed == 0 {
		return ""
	}
	n, reason := f.failed, f.failure.Error()
	if place := new(file.Error); errors.As(f.failure, &place) {
		reason = place.Message
	}
	f.failed, f.failure = 0, nil
	reason, _, _ = strings.Cut(reason, "\n")
	reason, more := captures.Cut(captures.Printable(reason), captures.ShownText)
	return fmt.Sprintf("the filter could not be evaluated for %d messages, which were left out; the first time: %s%s", n, reason, more)
}

// Absent returns the names of the fields that the expression looked for and found in no message, sorted. Such a field is
// most likely a slip. Absent forgets what was looked for.
func (f *Filter) Absent() (names []string) {
	if f == nil {
		return nil
	}
	maps.DeleteFunc(f.sought, func(_ string, found bool) bool { return found })
	names = slices.Sorted(maps.Keys(f.sought))
	clear(f.sought)
	return names
}
