package filter

import (
	"fmt"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/wire"
)

// checkWords finds what an expression gets wrong with constants: names of commands that no message has, addresses
// that are none, and a result that is neither true nor false.
func checkWords(text string, program *vm.Program, zone *time.Location) error {
	node := program.Node()
	w := &wordCheck{zone: zone}
	ast.Walk(&node, w)
	if w.err == nil {
		if t := node.Type(); t.Kind() != reflect.Bool && t.Kind() != reflect.Interface {
			w.fail(node, "gives %s, where true or false is wanted", kindName(t.String()))
		}
	}
	if w.err != nil {
		return w.err.Bind(file.NewSource(text))
	}
	return nil
}

// A wordCheck looks at the constants of an expression: what can never be true is most likely a slip.
type wordCheck struct {
	zone *time.Location
	err  *file.Error
}

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
		w.digits(n)
		if ordering[n.Operator] || n.Operator == "in" {
			w.times(n.Left, n.Right)
			w.times(n.Right, n.Left)
		}
	case *ast.MemberNode:
		w.member(n, "")
	case *ast.BuiltinNode:
		w.elements(n)
	case *ast.CallNode:
		callee, ok := n.Callee.(*ast.IdentifierNode)
		if !ok || len(n.Arguments) != 1 {
			return
		}
		if s, ok := n.Arguments[0].(*ast.StringNode); ok {
			w.argument(callee.Value, s)
		}
	}
}

// argument checks the text that a function is called with.
func (w *wordCheck) argument(function string, s *ast.StringNode) {
	var err error
	switch function {
	case "address":
		_, err = parseAddress(s.Value)
	case "bytes":
		_, err = parseOctets(s.Value)
	}
	if err != nil {
		w.fail(s, "%v", err)
	}
}

// octetKeys are names and keys of octets that people look for text in.
var octetKeys = map[string]bool{"payload": true, "player_message": true, "voice_data": true, "player_data": true, "group_data": true,
	"body": true}

// digits checks what the digits of octets are compared with: text that has others is meant for text().
func (w *wordCheck) digits(n *ast.BinaryNode) {
	name, _ := containerOf(n.Left, "")
	if id, ok := n.Left.(*ast.IdentifierNode); ok {
		name = id.Value
	}
	s, ok := n.Right.(*ast.StringNode)
	if !ok || !octetKeys[name] {
		return
	}
	switch n.Operator {
	case "==", "contains", "startsWith", "endsWith":
		if strings.Trim(s.Value, "0123456789abcdef") != "" {
			w.fail(s, `%s is octets, whose digits are 0-9 and a-f: for characters say text(%[1]s), for octets bytes("de ad")`, name)
		}
	}
}

// times checks the times that the name "time" is compared with.
func (w *wordCheck) times(name, with ast.Node) {
	if !named(name, "time") {
		return
	}
	for _, word := range words(with) {
		if _, err := parseTime(word, w.zone); err != nil {
			w.fail(with, "%v", err)
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
		case "src_ip", "dst_ip":
			if _, err := netip.ParseAddr(word); err != nil {
				w.fail(with, `%s is an address such as "10.0.0.1", never %q: address() takes networks and ports, too`, id.Value, word)
			}
		case "transport":
			if word != "tcp" && word != "udp" {
				w.fail(with, `transport is "tcp" or "udp", never %q`, word)
			}
		}
	}
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
	const unknown = "UNKNOWN"
	extension := wire.CmdExtension.String() + " "
	for k := wire.KindHello; !strings.HasPrefix(k.String(), unknown); k++ {
		names = append(names, extension+k.String())
	}
	for s := wire.ViewLog; !strings.HasPrefix(s.String(), unknown); s++ {
		names = append(names, extension+wire.KindView.String()+" "+s.String())
	}
	return names
}

// openNames begin names that have no list: unknown commands, and messages of [MC-DPL8CS].
var openNames = []string{"UNKNOWN(0x", "EXTENSION UNKNOWN(0x", "EXTENSION VIEW UNKNOWN(0x", "EXTENSION TABLE "}

func isCommand(name string) bool {
	return slices.Contains(commandNames(), name) || slices.ContainsFunc(openNames, func(b string) bool { return strings.HasPrefix(name, b) })
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
