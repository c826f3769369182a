// Package filter is the language of --filter: expressions over the fields of a message.
package filter

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/checker"
	"github.com/expr-lang/expr/checker/nature"
	"github.com/expr-lang/expr/compiler"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/optimizer"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/vm"

	"dplay4/captures"
)

// A Filter selects messages; nil selects all. Matches looks up only the names that the expression uses.
type Filter struct {
	program *vm.Program
	vm      vm.VM
	env     map[string]any
	needs   []lookup
	context filterContext
	failed  int
	failure error // the first one
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
	f := &Filter{env: map[string]any{}, vm: vm.VM{MemoryBudget: maxElements}, context: filterContext{sought: map[string]bool{}}}
	if err := f.compile(text, &check{zone: zone, used: map[string]bool{}}); errors.As(err, new(*file.Error)) {
		return nil, fmt.Errorf("--filter: %w", err)
	} else if err != nil {
		return nil, fmt.Errorf("--filter: %w\n | %s", err, text)
	}
	return f, nil
}

// compile checks an expression as its author wrote it, so that errors are in the author's terms. It then replaces the
// operators and functions by those that accept absent fields.
func (f *Filter) compile(text string, check *check) error {
	config := conf.New(environment)
	f.context.define(config)
	tree, err := parser.ParseWithConfig(text, config)
	if err != nil {
		return hinted(text, err)
	}
	_, _ = checker.Check(tree, config) // sets the types; a slip that the walk finds goes before its error
	ast.Walk(&tree.Node, check)
	for _, n := range check.calls { // the library does not check the arguments of a call again whose type it knows
		n.SetNature(nature.Nature{})
	}
	_, err = checker.Check(tree, config)
	if err = check.result(tree, err); err != nil {
		return err
	}
	all := check.used["$env"]
	f.context.fields.wantHeader = all || check.used["header"]
	f.needs = slices.DeleteFunc(slices.Clone(lookups), func(l lookup) bool { return !all && !check.used[l.name] })
	f.context.counted = check.counted
	ast.Walk(&tree.Node, &lenientPatch{check.counted})
	if _, err = checker.Check(tree, config); err != nil {
		return err
	}
	if err = optimizer.Optimize(&tree.Node, config); err != nil {
		return err
	}
	f.program, err = compiler.Compile(tree, config)
	return err
}

// Matches evaluates the expression for a message. A message for which the evaluation fails does not match; Failures
// counts it.
func (f *Filter) Matches(r *captures.Record) bool {
	if f == nil {
		return true
	}
	f.context.begin(r)
	for i := range f.needs {
		name, v := f.needs[i].name, f.needs[i].get(&f.context)
		f.env[name] = v
		f.context.note(name, v)
	}
	v, err := f.vm.Run(f.program, f.env)
	if err != nil {
		f.failed++
		if f.failed == 1 {
			f.failure = err
		}
	}
	return err == nil && truth(v)
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
	f.failed = 0
	if reason == libraryBudget {
		reason = errWork.Error()
	}
	reason, _, _ = strings.Cut(reason, "\n")
	reason, more := captures.Cut(captures.Printable(reason), captures.ShownText)
	return fmt.Sprintf("the filter could not be evaluated for %d messages, which were left out; the first time: %s%s", n, reason, more)
}

// Absent returns the names of the fields that the expression looked for and found in no message, sorted. Such a field is
// most likely a slip. Absent forgets what was looked for.
func (f *Filter) Absent() []string {
	if f == nil {
		return nil
	}
	sought := f.context.sought
	f.context.sought = map[string]bool{}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(sought)), func(name string) bool { return sought[name] })
}
