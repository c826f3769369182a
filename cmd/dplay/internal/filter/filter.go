// Package filter is the language of --filter: expressions over the fields of a message.
package filter

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"

	"dplay4/captures"
)

// A Filter says which messages are wanted; nil: all. The expression is compiled once, and only what it names is looked
// up in a message.
type Filter struct {
	program *vm.Program
	vm      vm.VM
	env     map[string]any
	needs   []lookup
	context filterContext
	failed  int
	failure error // the first one
}

// New compiles an expression; nil for "". Times in it that name no zone are in that one. The error points at the place that is
// wrong.
func New(text string, zone *time.Location) (*Filter, error) {
	if text == "" {
		return nil, nil
	}
	if len(text) > maxText {
		return nil, fmt.Errorf("--filter: the expression has %d octets, more than the %d that one may have", len(text), maxText)
	}
	f := &Filter{env: map[string]any{}, context: filterContext{sought: sought{}}}
	names := environment()
	// Once as it stands, for errors in the user's own terms; then with operators that take absent fields.
	plain := append(functions(&f.context), expr.Env(names))
	program, err := expr.Compile(text, append(plain, expr.AsAny())...)
	if err != nil {
		return nil, filterError(text, hinted(text, err))
	}
	if err := checkWords(text, program, zone); err != nil {
		return nil, filterError(text, err)
	}
	lenient := append(plain, lenientFunctions(&f.context)...)
	lenient = append(lenient, expr.Patch(&timePatch{zone}), expr.Patch(&lenientPatch{}), expr.AsAny())
	budget := &budgetPatch{}
	if isCounted(program) {
		lenient = append(append(lenient, budgetFunctions(&f.context)...), expr.Patch(budget))
	}
	if f.program, err = expr.Compile(text, lenient...); err == nil {
		err = budget.err
	}
	if err != nil {
		return nil, filterError(text, err)
	}
	f.vm.MemoryBudget = maxElements
	used := usedNames(program)
	f.context.fields.wantHeader = used["header"] || used["$env"]
	for _, l := range lookups {
		if used[l.name] || used["$env"] {
			f.needs = append(f.needs, l)
		}
	}
	return f, nil
}

// filterError says that the filter is wrong; the error of the expression library shows where.
func filterError(text string, err error) error {
	var place *file.Error
	if !errors.As(err, &place) {
		return fmt.Errorf("--filter: %w\n | %s", err, text)
	}
	return fmt.Errorf("--filter: %w", err)
}

// isCounted reports whether the work of an expression has to be counted.
func isCounted(program *vm.Program) bool {
	check, node := &countCheck{}, program.Node()
	ast.Walk(&node, check)
	return check.counts
}

// usedNames returns the names that an expression uses.
func usedNames(program *vm.Program) map[string]bool {
	used := nameList{}
	node := program.Node()
	ast.Walk(&node, used)
	return used
}

type nameList map[string]bool

// Visit implements ast.Visitor.
func (l nameList) Visit(node *ast.Node) {
	if id, ok := (*node).(*ast.IdentifierNode); ok {
		l[id.Value] = true
	}
}

// Matches evaluates the expression for a message. A message for which that fails does not match, and is
// counted.
func (f *Filter) Matches(r *captures.Record) bool {
	if f == nil {
		return true
	}
	f.context.begin(r)
	for i := range f.needs {
		name, v := f.needs[i].name, f.needs[i].get(&f.context)
		f.env[name] = v
		f.context.sought.note(name, v)
	}
	v, err := f.vm.Run(f.program, f.env)
	if err != nil {
		if f.failed == 0 {
			f.failure = err
		}
		f.failed++
		return false
	}
	return truth(v)
}

// Failures says, in one line, for how many messages the expression could not be evaluated, and the first reason; "" if
// there were none. It starts anew.
func (f *Filter) Failures() string {
	if f == nil || f.failed == 0 {
		return ""
	}
	n, reason := f.failed, f.failure.Error()
	var place *file.Error
	if errors.As(f.failure, &place) {
		reason = place.Message
	}
	f.failed, f.failure = 0, nil
	if reason == libraryBudget {
		reason = errWork.Error()
	}
	reason, _, _ = strings.Cut(reason, "\n")
	return fmt.Sprintf("the filter could not be evaluated for %d messages, which were left out; the first time: %s", n, reason)
}
