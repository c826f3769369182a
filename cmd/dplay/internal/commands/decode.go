package commands

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/dpsp"
	"dplay4/wire"
)

// A Command is a line that was understood.
type Command struct {
	ID   json.RawMessage // as it came; nil: it has none
	Name string
	args args
	spec *spec
}

// args are the values of a command's keys.
type args struct{ of map[string]any }

func (a *args) has(key string) bool { return a.of[key] != nil }

// id returns an id, 0 if there is none.
func (a *args) id(key string) wire.PlayerID {
	id, _ := a.of[key].(wire.PlayerID)
	return id
}

func (a *args) object(key string) wire.ObjectID {
	id, _ := a.of[key].(wire.ObjectID)
	return id
}

func (a *args) text(key string) dpsp.Text {
	t, _ := a.of[key].(dpsp.Text)
	return t
}

// octets returns what the key, or one of its other two forms, has.
func (a *args) octets(key string) []byte {
	for _, form := range []string{key, key + "_text", key + "_base64"} {
		if b, ok := a.of[form].([]byte); ok {
			return b
		}
	}
	return nil
}

func (a *args) is(key string) bool {
	is, _ := a.of[key].(bool)
	return is
}

func (a *args) number(key string) uint64 {
	n, _ := a.of[key].(uint64)
	return n
}

func (a *args) duration(key string) time.Duration {
	d, _ := a.of[key].(time.Duration)
	return d
}

// A Fault says what is wrong with a command.
type Fault struct {
	Code Code
	Key  string // that it is about; "": none
	Text string // for people
}

// Error returns the text.
func (f *Fault) Error() string { return f.Text }

func fault(code Code, key, format string, args ...any) *Fault {
	return &Fault{code, key, fmt.Sprintf(format, args...)}
}

// TooLong is the fault of a line that is too long.
func TooLong() *Fault {
	return fault(LineTooLong, "", "the line is left out: more than %d octets, and a line may have so many", MaxLine)
}

// Decode understands a line. The command is not nil where there is a fault: it has the name and id that could be read.
func Decode(line []byte) (*Command, *Fault) {
	c := &Command{args: args{of: map[string]any{}}}
	if at := invalidUTF8(line); at >= 0 {
		return c, fault(InvalidUTF8, "", "octet %d is not UTF-8, which a line must be", at+1)
	}
	values, wrong := members(line)
	c.identify(values)
	if wrong != nil {
		return c, wrong
	}
	raw, given := values.get("command")
	name, err := jsonString(raw)
	switch {
	case !given:
		return c, fault(MissingKey, "command", `"command" is missing: one of %s`, strings.Join(names(), ", "))
	case err != nil:
		return c, fault(WrongType, "command", `"command" must be text: one of %s`, strings.Join(names(), ", "))
	case specOf(name) == nil:
		return c, fault(UnknownCommand, "command", "there is no command %s: must be one of %s%s", quoted(name),
			strings.Join(names(), ", "), cli.Nearest(name, names()))
	}
	c.Name, c.spec = name, specOf(name)
	return c, c.read(values)
}

// A member is a key of an object, with its value as it came.
type member struct {
	name  string
	value json.RawMessage
}

type memberList []member

func (l memberList) get(name string) (json.RawMessage, bool) {
	for _, m := range l {
		if m.name == name {
			return m.value, true
		}
	}
	return nil, false
}

// maxMembers is more than any command has keys. What has more is not looked at any further.
const maxMembers = 64

// members reads an object's keys and values, up to the first fault.
func members(line []byte) (list memberList, wrong *Fault) {
	in := json.NewDecoder(bytes.NewReader(line))
	first, err := in.Token()
	if err != nil {
		return nil, notJSON(err)
	}
	if first != json.Delim('{') {
		return nil, fault(NotJSON, "", `a command is a JSON object, such as {"command":"say","text":"hello"}`)
	}
	for in.More() {
		key, err := in.Token()
		if err != nil {
			return list, notJSON(err)
		}
		m := member{name: key.(string)} // nothing else stands there
		if err := in.Decode(&m.value); err != nil {
			return list, notJSON(err)
		}
		if _, twice := list.get(m.name); twice {
			return list, fault(RepeatedKey, m.name, "%s is there twice: a key is allowed once", quoted(m.name))
		}
		if list = append(list, m); len(list) > maxMembers {
			return list, fault(UnknownKey, "", "more than %d keys: no command has so many", maxMembers)
		}
	}
	if _, err := in.Token(); err != nil {
		return list, notJSON(err)
	}
	if _, err := in.Token(); !errors.Is(err, io.EOF) {
		return list, fault(NotJSON, "", "there is something behind the object: one command a line is allowed")
	}
	return list, nil
}

func notJSON(err error) *Fault {
	why := err.Error()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		why = "it ends too early"
	}
	return fault(NotJSON, "", "the line is no JSON: %s; a command is an object, such as {\"command\":\"say\",\"text\":\"hello\"}", why)
}

// identify takes the name and id, as far as they are right.
func (c *Command) identify(values memberList) {
	if raw, given := values.get("id"); given {
		c.ID, _ = readID(raw)
	}
	if raw, given := values.get("command"); given {
		if name, _ := jsonString(raw); specOf(name) != nil {
			c.Name = name
		}
	}
}

// read takes the values of the command's keys.
func (c *Command) read(values memberList) *Fault {
	allowed := c.spec.has()
	for _, m := range values {
		switch {
		case m.name == "command":
			continue
		case m.name == "id":
			if _, err := readID(m.value); err != nil {
				return valueFault(err, "id", idWords)
			}
			continue
		case !slices.Contains(allowed, m.name):
			return fault(UnknownKey, m.name, "%q has no key %s: allowed are %s%s", c.Name, quoted(m.name), strings.Join(allowed, ", "),
				cli.Nearest(m.name, allowed))
		}
		k := keyOf(m.name)
		v, err := k.kind.read(m.value)
		if err != nil {
			return valueFault(err, m.name, k.kind.words())
		}
		c.args.of[m.name] = v
	}
	for _, needed := range strings.Fields(c.spec.needs) {
		if wrong := c.oneOf(needed, true); wrong != nil {
			return wrong
		}
	}
	for _, optional := range strings.Fields(c.spec.may) {
		if wrong := c.oneOf(optional, false); wrong != nil {
			return wrong
		}
	}
	return nil
}

func valueFault(err error, key, words string) *Fault {
	code := BadValue
	if errors.Is(err, errType) {
		code = WrongType
	}
	return fault(code, key, "%q must be %s", key, words)
}

// oneOf checks that of the keys a|b|c there is one, or where none is needed one at most.
func (c *Command) oneOf(list string, needed bool) *Fault {
	forms := strings.Split(list, "|")
	var given []string
	for _, name := range forms {
		if c.args.has(name) {
			given = append(given, name)
		}
	}
	switch {
	case len(given) > 1:
		return fault(TooManyKeys, given[1], "%q and %q do not go together: one of %s is allowed", given[0], given[1],
			strings.Join(forms, ", "))
	case len(given) == 0 && needed && len(forms) > 1:
		return fault(MissingKey, forms[0], "%q needs one of %s", c.Name, strings.Join(forms, ", "))
	case len(given) == 0 && needed:
		return fault(MissingKey, forms[0], "%q needs %q: %s", c.Name, forms[0], keyOf(forms[0]).kind.words())
	}
	return nil
}

// invalidUTF8 returns the first octet that is not UTF-8, -1 for none.
func invalidUTF8(line []byte) int {
	for at := 0; at < len(line); {
		r, size := utf8.DecodeRune(line[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

// quoted returns what somebody wrote, not too long, for an error.
func quoted(s string) string {
	const most = 40
	if utf8.RuneCountInString(s) > most {
		s = string([]rune(s)[:most]) + "..."
	}
	return fmt.Sprintf("%q", s)
}
