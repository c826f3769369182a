package filter

import (
	"fmt"
	"net/netip"
	"reflect"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/wire"
)

// checkWords finds what an expression gets wrong with constants: names of commands that no message has, addresses
// that are none, and a result that is neither true nor false.
func checkWords(text string, program *vm.Program) error {
	node := program.Node()
	w := &wordCheck{}
	ast.Walk(&node, w)
	if w.err == nil {
		if t := node.Type(); t.Kind() != reflect.Bool && t.Kind() != reflect.Interface {
			w.fail(node, "gives %s, where true or false is wanted", t)
		}
	}
	if w.err != nil {
		return w.err.Bind(file.NewSource(text))
	}
	return nil
}

// A wordCheck looks at the constants of an expression: what can never be true is most likely a slip.
type wordCheck struct{ err *file.Error }

func (w *wordCheck) fail(at ast.Node, format string, args ...any) {
	if w.err == nil {
		w.err = &file.Error{Location: at.Location(), Message: fmt.Sprintf(format, args...)}
	}
}

// Visit implements ast.Visitor.
func (w *wordCheck) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.BinaryNode:
		switch n.Operator {
		case "==", "!=", "in":
			w.compared(n.Left, n.Right)
			w.compared(n.Right, n.Left)
		}
	case *ast.MemberNode:
		if key, ok := n.Property.(*ast.StringNode); ok && ofMessage(n.Node) {
			if _, found := slices.BinarySearch(messageKeys[:], key.Value); !found {
				w.fail(key, "no message has a field %q%s", key.Value, cli.Nearest(key.Value, messageKeys[:]))
			}
		}
	case *ast.CallNode:
		callee, ok := n.Callee.(*ast.IdentifierNode)
		if !ok || callee.Value != "address" || len(n.Arguments) != 1 {
			return
		}
		if s, ok := n.Arguments[0].(*ast.StringNode); ok {
			if _, err := parseAddress(s.Value); err != nil {
				w.fail(s, "%v", err)
			}
		}
	}
}

// compared checks the words that a name is compared with.
func (w *wordCheck) compared(name, with ast.Node) {
	id, ok := name.(*ast.IdentifierNode)
	if !ok {
		return
	}
	for _, word := range words(with) {
		switch id.Value {
		case "from", "to":
			if _, ok := number(word); !ok {
				w.fail(with, "%s is the id of a player, never %q: use %s_name or player()", id.Value, word, id.Value)
			}
		case "command":
			if !isCommand(word) {
				w.fail(with, "no message has the command %q%s", word, suggest(word))
			}
		case "src", "dst":
			if _, err := netip.ParseAddrPort(word); err != nil {
				w.fail(with, `%s is "ip:port", never %q: use %s_ip or address()`, id.Value, word, id.Value)
			}
		case "transport":
			if word != "tcp" && word != "udp" {
				w.fail(with, `transport is "tcp" or "udp", never %q`, word)
			}
		}
	}
}

// ofMessage reports whether a chain of members begins at the message or its header.
func ofMessage(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return n.Value == "message" || n.Value == "header"
	case *ast.MemberNode:
		return ofMessage(n.Node)
	case *ast.ChainNode:
		return ofMessage(n.Node)
	}
	return false
}

// words returns the text constants in a node.
func words(n ast.Node) []string {
	var list []string
	switch n := n.(type) {
	case *ast.StringNode:
		list = append(list, n.Value)
	case *ast.ArrayNode:
		for _, e := range n.Nodes {
			list = append(list, words(e)...)
		}
	case *ast.ConstantNode: // an array of constants, optimised
		if m := reflect.ValueOf(n.Value); m.Kind() == reflect.Map && m.Type().Key().Kind() == reflect.String {
			for _, k := range m.MapKeys() {
				list = append(list, k.String())
			}
			slices.Sort(list) // a map has no order
		}
	}
	return list
}

// commandNames are the names that Record.Command can give, without those of unknown commands.
func commandNames() []string {
	names := []string{"RELIABLE_DATA", "RELIABLE_ACK", "RELIABLE_NACK", "MALFORMED"}
	for _, c := range wire.Commands() {
		names = append(names, c.String())
	}
	return names
}

func isCommand(name string) bool {
	return slices.Contains(commandNames(), name) || strings.HasPrefix(name, "UNKNOWN(0x")
}

// suggest proposes the command that may have been meant.
func suggest(name string) string {
	up := strings.ToUpper(name)
	up = strings.TrimPrefix(up, "DPSP_MSG_")
	for _, c := range commandNames() {
		if c == up {
			return fmt.Sprintf(": did you mean %q?", c)
		}
	}
	return cli.Nearest(up, commandNames())
}
