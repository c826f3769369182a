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
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/types"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/wire"
)

// A check looks for slips in an expression, such as constants that no message has. It also notes the words that the
// expression uses, writes times as NDJSON does, and marks conditions.
type check struct {
	zone     *time.Location
	used     map[string]bool
	patterns map[string]*pattern
	err      *file.Error
}

func (c *check) fail(at ast.Node, format string, args ...any) {
	if c.err == nil {
		c.err = &file.Error{Location: at.Location(), Message: fmt.Sprintf(format, args...)}
	}
}

// Visit implements ast.Visitor.
func (c *check) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		c.used[n.Value] = true
	case *ast.UnaryNode:
		if slices.Contains(logical, n.Operator) {
			call(&n.Node, "(truth)", n.Node)
		}
	case *ast.ConditionalNode:
		call(&n.Cond, "(truth)", n.Cond)
	case *ast.BinaryNode:
		if slices.Contains(logical, n.Operator) {
			call(&n.Left, "(truth)", n.Left)
			call(&n.Right, "(truth)", n.Right)
		}
		if text, ok := n.Right.(*ast.StringNode); ok && n.Operator == "matches" {
			p, err := compile(text.Value)
			if err != nil {
				c.fail(n, "%v", err)
			}
			c.patterns[text.Value] = p
		}
		c.operands(n, n.Left, n.Right)
		c.operands(n, n.Right, n.Left)
	case *ast.MemberNode:
		c.member(n)
	case *ast.BuiltinNode:
		if slices.Contains(conditional, n.Name) && len(n.Arguments) > 1 {
			predicate := n.Arguments[1].(*ast.PredicateNode)
			call(&predicate.Node, "(truth)", predicate.Node)
		}
	case *ast.CallNode:
		for _, argument := range n.Arguments {
			c.constants(n.Callee.String(), "()", argument)
		}
	}
}

// numeric is the text of a number, of a sum of some, or of a range.
var numeric = regexp.MustCompile(`^[-+*/.\d ()]+$`)

// operands checks the operand beside a word.
func (c *check) operands(n *ast.BinaryNode, word, other ast.Node) {
	if w, ok := word.(*ast.IdentifierNode); ok && w.Value == "time" && numeric.MatchString(other.String()) {
		c.fail(n.Left, `time is when a message was captured, as in NDJSON, such as "2006-01-02T15:04:05Z"; seconds since the first message are relative`)
	}
	c.constants(nameOf(word), n.Operator, other)
}

// logical are the operators whose operands are conditions, and conditional the functions that take one.
var (
	logical     = []string{"not", "!", "and", "&&", "or", "||"}
	conditional = []string{"all", "none", "any", "one", "filter", "find", "findIndex", "findLast", "findLastIndex", "count"}
)

// condition is the type of "(truth)": what can be a condition is true or false, or what a message can have.
func condition(of []reflect.Type) (reflect.Type, error) {
	kinds := []reflect.Kind{reflect.Bool, reflect.Interface, reflect.Map}
	if of[0] == nil || !slices.Contains(kinds, of[0].Kind()) && of[0] != reflect.TypeFor[objects]() {
		return nil, fmt.Errorf("gives %v, where true or false is wanted", of[0])
	}
	return reflect.TypeFor[bool](), nil
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
func (c *check) member(n *ast.MemberNode) {
	root := n.Node
	for m, ok := root.(*ast.MemberNode); ok; m, ok = root.(*ast.MemberNode) {
		root = m.Node
	}
	key, isText := n.Property.(*ast.StringNode)
	switch name := nameOf(root); {
	case !isText:
	case environment[name] == types.Any:
		c.fail(key, "%s has no fields", name)
	case (name == "message" || name == "header") && !slices.Contains(messageKeys, key.Value):
		c.fail(key, "%s", noField(key.Value))
	}
}

// A rule describes the texts that can be compared with a name, or be the argument of a function.
type rule struct {
	operators string // for which it holds, between spaces
	valid     func(text string) bool
	message   string // of text that is not valid: [1], the name: [2], a suggestion: [3]
}

const (
	equality   = " == != in "
	timeLayout = "2006-01-02T15:04:05.000000000Z" // of NDJSON: such times sort as text
)

var (
	idRule   = rule{equality, parses(func(s string) (int64, error) { return strconv.ParseInt(s, 0, 64) }), "%[2]s is the id of a player, never %[1]q: use %[2]s_name or player()"}
	endRule  = rule{equality, parses(netip.ParseAddrPort), `%[2]s is "ip:port", never %[1]q: use %[2]s_ip or address()`}
	ipRule   = rule{equality, parses(netip.ParseAddr), `%[2]s is an address such as "10.0.0.1", never %[1]q: address() takes networks and ports, too`}
	octetsAs = rule{" == contains startsWith endsWith ", func(s string) bool { return strings.Trim(s, "0123456789abcdef") == "" },
		`%[2]s is octets, whose digits are 0-9 and a-f: for characters say text(%[2]s), for octets bytes("de ad")`}

	rules = map[string]rule{
		"from": idRule, "to": idRule, "src": endRule, "dst": endRule, "src_ip": ipRule, "dst_ip": ipRule,
		"command":   {equality, isCommand, "no message has the command %[1]q%[3]s"},
		"transport": {equality, func(s string) bool { return s == "tcp" || s == "udp" }, `transport is "tcp" or "udp", never %[1]q`},
		"time": {equality + "< <= > >= ", parses(func(s string) (time.Time, error) { return parseTime(s, time.UTC) }),
			`%[1]q is not a time such as "2006-01-02T15:04:05Z"`},
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

// constants checks the texts with which a name is compared, or with which a function is called. It
// rewrites times as NDJSON has them.
func (c *check) constants(name, operator string, n ast.Node) {
	rule := rules[name]
	if !strings.Contains(rule.operators, " "+operator+" ") {
		return
	}
	switch n := n.(type) {
	case *ast.ArrayNode:
		for _, e := range n.Nodes {
			c.constants(name, operator, e)
		}
	case *ast.StringNode:
		if !rule.valid(n.Value) {
			c.fail(n, rule.message, n.Value, name, cli.Nearest(strings.TrimPrefix(strings.ToUpper(n.Value), "DPSP_MSG_"), commandNames))
		} else if name == "time" {
			t, _ := parseTime(n.Value, c.zone)
			n.Value = t.UTC().Format(timeLayout)
		}
	}
}

// parseTime parses a time. One without a zone is in that of the reader.
func parseTime(text string, zone *time.Location) (t time.Time, err error) {
	for _, layout := range []string{"2006-01-02T15:04:05Z07:00", "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04:05",
		"2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02"} {
		if t, err = time.ParseInLocation(layout, text, zone); err == nil {
			break
		}
	}
	return t, err
}

// commandNames are the names that Record.Command can return, without those of unknown commands. They are sorted because
// cli.Nearest takes the first one that begins so.
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
	slices.Sort(names)
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

// foreign finds words of Wireshark, which are those of its protocols, and its operators; hints has all. It passes over
// quoted text and other words, in which it finds nothing.
var foreign = regexp.MustCompile("\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'|`[^`]*`|" +
	`\b((?:ip|ipv6|tcp|udp|frame|data|dplay|eth|_ws)\.[a-z_0-9.]+|(?:eq|ne|gt|lt|ge|le|xor|tcp|udp|dplay)\b)|[\w.]+`)

// noList is the error of a list that is compared with what is none.
var noList = regexp.MustCompile(`([=!]=|[<>]=?) \(mismatched types \[\]\S+ and [^\[]`)

// hinted adds a suggestion to an error of the expression library: for slips, for words of Wireshark's filters, and for
// words of the lines of decode.
func hinted(text string, err error) error {
	for _, at := range foreign.FindAllStringSubmatchIndex(text, -1) {
		if at[2] < 0 {
			continue
		}
		word := text[at[2]:at[3]]
		protocol, _, _ := strings.Cut(word, ".")
		here := cmp.Or(hints[word], hints[protocol+".*"], `not known: "dplay help filters" has the names that are`)
		place := &file.Error{Location: file.Location{From: len([]rune(text[:at[2]])), To: len([]rune(text[:at[3]]))},
			Message: fmt.Sprintf("%s is Wireshark's: here it is %s", word, here)}
		return place.Bind(file.NewSource(text))
	}
	if place := new(file.Error); errors.As(err, &place) {
		place.Message = strings.ReplaceAll(place.Message, "filter.objects", "[]object")
		if name, ok := strings.CutPrefix(place.Message, "unknown name "); ok {
			place.Message += suggest(name, append(Names(), "text", "bytes", "player", "address", "has"))
		} else if key, ok := strings.CutPrefix(place.Message, "unknown field "); ok {
			place.Message = noField(key)
		} else if strings.HasSuffix(place.Message, `("=")`) {
			place.Message += ": did you mean ==?"
		} else if noList.MatchString(place.Message) {
			place.Message += ": what is in a list asks in, such as 5 in frames"
		}
	}
	return err
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

// places are the objects in a message, with the form of their keys in a filter.
var places = [][2]string{{"message", "message.%s"}, {"header", "header.%s"}, {"session_desc", "message.session_desc.%s"},
	{"player_info", "message.player_info.%s"}, {"group_info", "message.group_info.%s"},
	{"reliable_frame", "message.reliable_frame.%s"}, {"sec_desc", "message.sec_desc.%s"},
	{"players", "any(message.players, .%s == ...)"}, {"groups", "any(message.groups, .%s == ...)"},
	{"shortcuts", "any(message.shortcuts, .%s == ...)"}}

// keyPlace returns an expression with a key at its place in a message; "" if its place is not known.
func keyPlace(key string) string {
	for _, place := range places {
		if slices.Contains(objectKeys[place[0]], key) {
			return fmt.Sprintf(place[1], key)
		}
	}
	return ""
}
