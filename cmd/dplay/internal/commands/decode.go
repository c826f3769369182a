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
	spec spec
}

// args are the values of a command's keys.
type args map[string]any

// value returns the value of a key, the zero value if there is none.
func value[T any](a args, key string) T {
	v, _ := a[key].(T)
	return v
}

func (a args) id(key string) wire.PlayerID       { return value[wire.PlayerID](a, key) }
func (a args) object(key string) wire.ObjectID   { return value[wire.ObjectID](a, key) }
func (a args) text(key string) dpsp.Text         { return value[dpsp.Text](a, key) }
func (a args) is(key string) bool                { return value[bool](a, key) }
func (a args) number(key string) uint64          { return value[uint64](a, key) }
func (a args) duration(key string) time.Duration { return value[time.Duration](a, key) }

// octets returns what the key, or one of its other two forms, has.
func (a args) octets(key string) []byte {
	for _, form := range []string{key, key + "_text", key + "_base64"} {
		if b, ok := a[form].([]byte); ok {
			return b
		}
	}
	return nil
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
	return fault(LineTooLong, "", "the line is left out: more than %d octets, and a line may have so many", maxLine)
}

// Decode understands a line. The command is not nil where there is a fault: it has the name and id that could be read.
func Decode(line []byte) (*Command, *Fault) {
	c := &Command{args: args{}}
	if at := invalidUTF8(line); at >= 0 {
		return c, fault(InvalidUTF8, "", "octet %d is not UTF-8, which a line must be", at+1)
	}
	values, wrong := members(line)
	id, _ := commandID.read(values.get("id"))
	c.ID, _ = id.(json.RawMessage)
	raw := values.get("command")
	name, wrongType := jsonOf[string](raw)
	c.spec = specOf(name)
	c.Name = c.spec.name
	known := strings.Join(names(), ", ")
	switch {
	case wrong != nil:
		return c, wrong
	case raw == nil:
		return c, fault(MissingKey, "command", `"command" is missing: one of %s`, known)
	case wrongType != "":
		return c, fault(wrongType, "command", `"command" must be text: one of %s`, known)
	case c.Name == "":
		return c, fault(UnknownCommand, "command", "there is no command %s: must be one of %s%s", quoted(name), known, cli.Nearest(name, names()))
	}
	return c, c.read(values)
}

// A member is a key of an object, with its value as it came.
type member struct {
	name  string
	value json.RawMessage
}

type memberList []member

// get returns the value of a key, nil if there is none.
func (l memberList) get(name string) json.RawMessage {
	for _, m := range l {
		if m.name == name {
			return m.value
		}
	}
	return nil
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
		if list.get(m.name) != nil {
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

// read takes the values of the command's keys.
func (c *Command) read(values memberList) *Fault {
	allowed := c.spec.has()
	for _, m := range values {
		if !slices.Contains(allowed, m.name) {
			return fault(UnknownKey, m.name, "%q has no key %s: allowed are %s%s", c.Name, quoted(m.name), strings.Join(allowed, ", "),
				cli.Nearest(m.name, allowed))
		}
		k := keyOf(m.name)
		v, code := k.kind.read(m.value)
		if code != "" {
			return fault(code, m.name, "%q must be %s", m.name, k.kind.words)
		}
		c.args[m.name] = v
	}
	needed := strings.Fields(c.spec.needs)
	for i, list := range append(needed, strings.Fields(c.spec.may)...) {
		if wrong := c.oneOf(list, i < len(needed)); wrong != nil {
			return wrong
		}
	}
	return nil
}

// oneOf checks that of the keys a|b|c there is one, or where none is needed one at most.
func (c *Command) oneOf(list string, needed bool) *Fault {
	forms := strings.Split(list, "|")
	given := slices.DeleteFunc(slices.Clone(forms), func(name string) bool { return c.args[name] == nil })
	switch {
	case len(given) > 1:
		return fault(TooManyKeys, given[1], "%q and %q do not go together: one of %s is allowed", given[0], given[1],
			strings.Join(forms, ", "))
	case len(given) == 1 || !needed:
		return nil
	case len(forms) > 1:
		return fault(MissingKey, forms[0], "%q needs one of %s", c.Name, strings.Join(forms, ", "))
	}
	return fault(MissingKey, forms[0], "%q needs %q: %s", c.Name, forms[0], keyOf(forms[0]).kind.words)
}

// invalidUTF8 returns the place of the first octet that is not UTF-8, -1 for none. It replaces such octets by 0xFF, which UTF-8 never has.
func invalidUTF8(line []byte) int {
	return bytes.IndexByte(bytes.ToValidUTF8(line, []byte{0xFF}), 0xFF)
}

// quoted returns what somebody wrote, not too long, for an error.
func quoted(s string) string {
	const most = 40
	if utf8.RuneCountInString(s) > most {
		s = string([]rune(s)[:most]) + "..."
	}
	return fmt.Sprintf("%q", s)
}
