package filter

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"net/netip"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/types"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/wire"
)

// A check looks for slips in an expression, such as constants that no message has. It also notes the names that the
// expression uses and whether its work has to be counted, writes times as NDJSON does, and makes conditions of fields.
type check struct {
	zone    *time.Location
	used    map[string]bool
	counted bool // the expression can loop or build values; otherwise its length and the message bound its work
	calls   []*ast.CallNode
	err     *file.Error
}

// result returns the error of an expression, for which the library returned err.
func (w *check) result(tree *parser.Tree, err error) error {
	if n := tree.Node; err == nil && !canBeAbsent(n) && n.Type().Kind() != reflect.Bool {
		w.fail(n, "gives %s, where true or false is wanted", kinds.Replace(n.Type().String()))
	}
	if place := new(file.Error); w.err == nil || errors.As(err, &place) && place.From < w.err.From {
		return hinted(tree.Source.String(), err)
	}
	return w.err.Bind(tree.Source)
}

func (w *check) fail(at ast.Node, format string, args ...any) {
	if w.err == nil {
		w.err = &file.Error{Location: at.Location(), Message: fmt.Sprintf(format, args...)}
	}
}

// Visit implements ast.Visitor.
func (w *check) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		w.used[n.Value] = true
	case *ast.VariableDeclaratorNode:
		w.counted = true
	case *ast.UnaryNode:
		condition(&n.Node, n.Operator == "not" || n.Operator == "!")
	case *ast.ConditionalNode:
		condition(&n.Cond, true)
	case *ast.BinaryNode:
		w.operands(n)
	case *ast.MemberNode:
		w.member(n)
	case *ast.BuiltinNode:
		w.counted = true
		if f := builtin.Builtins[builtin.Index[n.Name]]; f.Predicate && len(n.Arguments) > 1 && n.Name != "sortBy" {
			condition(&n.Arguments[1].(*ast.PredicateNode).Node, f.Types[0].In(1).Out(0).Kind() == reflect.Bool && n.Name != "sum")
		}
	case *ast.CallNode:
		w.calls = append(w.calls, n)
		name := n.Callee.String()
		w.counted = w.counted || builtin.Index[name] > 0 && !slices.Contains(harmless, name)
		if len(n.Arguments) == 1 {
			w.constants(name, "()", n.Arguments[0])
		}
	}
}

// harmless are functions whose work and result are no larger than their arguments.
var harmless = []string{"len", "lower", "upper", "int", "float", "abs", "first", "last", "indexOf", "hasPrefix", "hasSuffix"}

// condition makes a condition of a node that can be absent, if one is wanted.
func condition(node *ast.Node, wanted bool) {
	if wanted && canBeAbsent(*node) {
		call(node, "(truth)", *node)
	}
}

// operands checks the operands of an operator.
func (w *check) operands(n *ast.BinaryNode) {
	switch n.Operator {
	case "and", "&&", "or", "||":
		condition(&n.Left, true)
		condition(&n.Right, true)
		return
	case "+":
		w.counted = w.counted || n.Type().Kind() != reflect.Int && n.Type().Kind() != reflect.Float64
	case "in":
		_, isRange := n.Right.(*ast.BinaryNode)
		w.counted = w.counted || isRange && canBeAbsent(n.Left)
	case "matches":
		w.counted = true // by the instructions of the regular expression
		if s, ok := n.Right.(*ast.StringNode); ok {
			if err := compile(s.Value).err; err != nil {
				w.fail(n, "%v", err)
			}
		}
	}
	for _, pair := range [][2]ast.Node{{n.Left, n.Right}, {n.Right, n.Left}} {
		name := nameOf(pair[0])
		switch pair[1].(type) {
		case *ast.IntegerNode, *ast.FloatNode, *ast.UnaryNode, *ast.BinaryNode:
			if name == "time" {
				w.fail(n.Left, "time is when a message was captured, as in NDJSON, such as %s; seconds since the first message are relative",
					timeExample)
			}
		}
		w.constants(name, n.Operator, pair[1])
	}
}

// nameOf returns the name, or the key of the field, that a node is; "" for others.
func nameOf(n ast.Node) string {
	if m, ok := n.(*ast.MemberNode); ok {
		n = m.Property
	}
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return n.Value
	case *ast.StringNode:
		return n.Value
	}
	return ""
}

// member checks that there is a field at its place, where the type of that place does not say it.
func (w *check) member(n *ast.MemberNode) {
	root := n.Node
	for m, ok := root.(*ast.MemberNode); ok; m, ok = root.(*ast.MemberNode) {
		root = m.Node
	}
	key, isText := n.Property.(*ast.StringNode)
	name, isName := root.(*ast.IdentifierNode)
	switch {
	case !isText || !isName:
	case environment[name.Value] == types.Any:
		w.fail(key, "%s has no fields", name.Value)
	case (name.Value == "message" || name.Value == "header") && !slices.Contains(messageKeys, key.Value):
		w.fail(key, "%s", noField(key.Value))
	}
}

// A rule describes the texts that can be compared with a name, or be the argument of a function.
type rule struct {
	operators string // for which it holds, between spaces
	valid     func(text string) bool
	message   string // of text that is not valid: [1], the name: [2], a suggestion: [3]
}

const (
	equality    = " == != in "
	timeExample = `"2006-01-02T15:04:05Z"`
	timeLayout  = "2006-01-02T15:04:05.000000000Z" // of NDJSON: such times sort as text
)

var (
	isID     = parses(func(s string) (int64, error) { return strconv.ParseInt(s, 0, 64) })
	idRule   = rule{equality, isID, "%[2]s is the id of a player, never %[1]q: use %[2]s_name or player()"}
	endRule  = rule{equality, parses(netip.ParseAddrPort), `%[2]s is "ip:port", never %[1]q: use %[2]s_ip or address()`}
	ipRule   = rule{equality, parses(netip.ParseAddr), `%[2]s is an address such as "10.0.0.1", never %[1]q: address() takes networks and ports, too`}
	isDigits = func(s string) bool { return strings.Trim(s, "0123456789abcdef") == "" }
	octetsAs = rule{" == contains startsWith endsWith ", isDigits,
		`%[2]s is octets, whose digits are 0-9 and a-f: for characters say text(%[2]s), for octets bytes("de ad")`}

	rules = map[string]rule{
		"from": idRule, "to": idRule, "src": endRule, "dst": endRule, "src_ip": ipRule, "dst_ip": ipRule,
		"command":   {equality, isCommand, "no message has the command %[1]q%[3]s"},
		"transport": {equality, func(s string) bool { return s == "tcp" || s == "udp" }, `transport is "tcp" or "udp", never %[1]q`},
		"time": {equality + "< <= > >= ", parses(func(s string) (time.Time, error) { return parseTime(s, time.UTC) }),
			"%[1]q is not a time such as " + timeExample},
		"address": {" () ", parses(parseAddress), "%[1]q is not an address: want 10.0.0.1, 10.0.0.1:2300 or 10.0.0.0/8"},
		"bytes":   {" () ", parses(parseOctets), `bytes() takes hexadecimal digits, two for each octet, such as "de ad", not %[1]q`},
		// Octets in which people look for text.
		"payload": octetsAs, "player_message": octetsAs, "voice_data": octetsAs, "player_data": octetsAs, "group_data": octetsAs,
		"body": octetsAs,
	}
)

// parses makes a test of a function that parses text.
func parses[T any](parse func(text string) (T, error)) func(text string) bool {
	return func(text string) bool {
		_, err := parse(text)
		return err == nil
	}
}

// constants checks the texts with which a name is compared, or with which a function is called. It rewrites times as NDJSON
// has them.
func (w *check) constants(name, operator string, n ast.Node) {
	if list, ok := n.(*ast.ArrayNode); ok {
		for _, e := range list.Nodes {
			w.constants(name, operator, e)
		}
	}
	s, isText := n.(*ast.StringNode)
	rule, ok := rules[name]
	if !ok || !isText || !strings.Contains(rule.operators, " "+operator+" ") {
		return
	}
	if !rule.valid(s.Value) {
		w.fail(s, rule.message, s.Value, name, cli.Nearest(strings.TrimPrefix(strings.ToUpper(s.Value), "DPSP_MSG_"), commandNames))
	} else if name == "time" {
		t, _ := parseTime(s.Value, w.zone)
		s.Value = t.UTC().Format(timeLayout)
	}
}

// parseTime parses a time. One without a zone is in that of the reader.
func parseTime(text string, zone *time.Location) (t time.Time, err error) {
	for _, layout := range []string{"2006-01-02T15:04:05Z07:00", "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04:05",
		"2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02"} {
		if t, err = time.ParseInLocation(layout, text, zone); err == nil {
			return t, nil
		}
	}
	return t, err
}

// commandNames are the names that Record.Command can return, without those of unknown commands.
var commandNames = func() []string {
	names := []string{"RELIABLE_DATA", "RELIABLE_ACK", "RELIABLE_NACK", "MALFORMED"}
	for _, c := range wire.Commands() {
		names = append(names, c.String())
	}
	extension := wire.CmdExtension.String() + " "
	for k := wire.KindHello; !strings.HasPrefix(k.String(), "UNKNOWN"); k++ {
		names = append(names, extension+k.String())
	}
	for s := wire.ViewLog; !strings.HasPrefix(s.String(), "UNKNOWN"); s++ {
		names = append(names, extension+wire.KindView.String()+" "+s.String())
	}
	slices.Sort(names) // cli.Nearest takes the first one that begins so
	return names
}()

// openNames begin names of which there is no list: unknown commands, and messages of [MC-DPL8CS].
var openNames = regexp.MustCompile(`^(UNKNOWN\(0x|EXTENSION (UNKNOWN\(0x|VIEW UNKNOWN\(0x|TABLE ))`)

func isCommand(name string) bool {
	return slices.Contains(commandNames, name) || openNames.MatchString(name)
}

//go:embed hints.txt
var hintsText string

// hints are names in the lines of decode, other likely names, and words of Wireshark, each with its form in a filter.
var hints = func() map[string]string {
	words := map[string]string{}
	for line := range strings.Lines(hintsText) {
		word, here, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		words[word] = here
	}
	return words
}()

var (
	// Errors of the expression library about types and tokens, and its names of types.
	mismatched = regexp.MustCompile(`^invalid operation: (\S+) \(mismatched types (.+) and (.+)\)$`)
	unexpected = regexp.MustCompile(`unexpected token \w+\((".*")\)`)
	noList     = regexp.MustCompile(`^([=!]=|[<>]=?) does not go between a list and `)
	kinds      = strings.NewReplacer("[]string", "a list", "[]interface {}", "a list", "[]int", "a list", "filter.fieldList", "a list",
		"filter.fieldMap", "fields", "map[string]interface {}", "fields", "interface {}", "unknown", "string", "text",
		"bool", "true or false", "int", "a number", "float64", "a number")

	// Quoted text and words; words of Wireshark are those of its protocols, and its operators, of which hints has all.
	words   = regexp.MustCompile("\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'|`[^`]*`|[\\w.]+")
	foreign = regexp.MustCompile(`^(?:ip|ipv6|tcp|udp|frame|data|dplay|eth|_ws)\.[a-z_0-9.]+$|^(?:eq|ne|gt|lt|ge|le|xor|tcp|udp|dplay)$`)
)

// hinted rewrites an error of the expression library for the author of the filter, and adds a suggestion: for slips, for
// words of Wireshark's filters, and for words of the lines of decode.
func hinted(text string, err error) error {
	var place *file.Error
	if e := foreignWord(text); e != nil && err != nil {
		return e.Bind(file.NewSource(text))
	} else if !errors.As(err, &place) {
		return err
	}
	message := strings.Replace(place.Message, "unexpected token EOF", "it ends too early", 1)
	message = unexpected.ReplaceAllString(message, "unexpected $1")
	if name, ok := strings.CutPrefix(message, "unknown name "); ok {
		message += suggest(name, append(Names(), "text", "bytes", "player", "address", "has"))
	} else if key, ok := strings.CutPrefix(message, "unknown field "); ok {
		message = noField(key)
	} else if message == `unexpected "="` {
		message += ": did you mean ==?"
	} else if mismatched.MatchString(message) {
		message = kinds.Replace(mismatched.ReplaceAllString(message, "$1 does not go between $2 and $3"))
		if noList.MatchString(message) && !strings.HasSuffix(message, "and a list") {
			message += ": what is in a list asks in, such as 5 in frames"
		}
	}
	place.Message = message
	return place
}

// noField is the error of a key that no message has.
func noField(key string) string {
	return fmt.Sprintf("no message has a field %q%s", key, suggest(key, messageKeys))
}

// suggest proposes a hint, a place or a similar name for an unknown name; names are those that can stand there.
func suggest(name string, names []string) string {
	if here := cmp.Or(hints[name], keyPlace(name)); here != "" {
		return fmt.Sprintf(": did you mean %s?", here)
	}
	return cmp.Or(cli.Nearest(name, names), cli.Nearest(name, messageKeys))
}

// foreignWord returns an error about the first word of Wireshark's in an expression, with its form in a filter.
func foreignWord(text string) *file.Error {
	for _, at := range words.FindAllStringIndex(text, -1) {
		word := text[at[0]:at[1]]
		if !foreign.MatchString(word) {
			continue
		}
		protocol, _, _ := strings.Cut(word, ".")
		here := cmp.Or(hints[word], hints[protocol+".*"], `not known: "dplay help filters" has the names that are`)
		return &file.Error{Location: file.Location{From: len([]rune(text[:at[0]])), To: len([]rune(text[:at[1]]))},
			Message: fmt.Sprintf("%s is Wireshark's: here it is %s", word, here)}
	}
	return nil
}
