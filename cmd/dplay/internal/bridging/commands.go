package bridging

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/commands"
	"dplay4/cmd/dplay/internal/events"
	"dplay4/dpsp/bridge/link"
)

// An answer answers a line of --commands ndjson.
type answer struct {
	Time     string           `json:"time"`
	Event    string           `json:"event"`
	ID       json.RawMessage  `json:"id,omitempty"`
	Line     int              `json:"line"`
	Command  string           `json:"command,omitempty"`
	OK       bool             `json:"ok"`
	Error    commands.Code    `json:"error,omitempty"`
	Key      string           `json:"key,omitempty"`
	Text     string           `json:"text,omitempty"`
	Code     string           `json:"code,omitempty"`
	Machines []*MachineObject `json:"machines,omitempty"`
}

// A command is what can be commanded.
type command struct {
	name    string
	machine string // what its key "machine" is; "": it has none
	do      func(s Session, machine string, a *answer) error
}

// What a machine is named by.
const (
	byName = "the name or the number of a machine"
	byID   = "the id of who asks, as machine_asks has it"
)

// table has all commands.
var table = []command{
	{"admit", byID, func(s Session, id string, _ *answer) error { return answerID(s, id, true) }},
	{"refuse", byID, func(s Session, id string, _ *answer) error { return answerID(s, id, false) }},
	{"kick", byName, func(s Session, who string, _ *answer) error { _, err := kick(s, who); return err }},
	{"cut", byName, func(s Session, who string, _ *answer) error { _, err := cut(s, who); return err }},
	{"host", "", func(s Session, _ string, _ *answer) error { return s.LetHost(true) }},
	{"join", "", func(s Session, _ string, _ *answer) error { return s.LetHost(false) }},
	{"list", "", func(s Session, _ string, a *answer) error { a.Code, a.Machines = s.Code(), machines(s); return nil }},
	{"leave", "", func(Session, string, *answer) error { return nil }},
}

// do does what a line says, and reports whether we leave.
func do(s Session, line commands.Line) (a *answer, leave bool) {
	a = &answer{Event: "answer", Line: line.Number}
	if line.TooLong {
		return a.fail(commands.TooLong()), false
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(line.Text, &keys); err != nil {
		return a.fail(&commands.Fault{Code: commands.NotJSON, Text: "the line is no JSON object"}), false
	}
	a.ID = keys["id"]
	c, fault := a.understand(keys)
	if fault != nil {
		return a.fail(fault), false
	}
	machine, fault := c.read(keys)
	if fault != nil {
		return a.fail(fault), false
	}
	if err := c.do(s, machine, a); err != nil {
		return a.fail(faultOf(err)), false
	}
	a.OK = true
	return a, c.name == "leave"
}

// understand finds the command of a line.
func (a *answer) understand(keys map[string]json.RawMessage) (*command, *commands.Fault) {
	var names []string
	for _, c := range table {
		names = append(names, c.name)
	}
	known := strings.Join(names, ", ")
	raw, given := keys["command"]
	switch err := json.Unmarshal(raw, &a.Command); {
	case !given:
		return nil, &commands.Fault{Code: commands.MissingKey, Key: "command", Text: `"command" is missing: one of ` + known}
	case err != nil:
		return nil, &commands.Fault{Code: commands.WrongType, Key: "command", Text: `"command" must be text: one of ` + known}
	}
	if at := slices.Index(names, a.Command); at >= 0 {
		return &table[at], nil
	}
	return nil, &commands.Fault{Code: commands.UnknownCommand, Key: "command",
		Text: fmt.Sprintf("there is no command %q: must be one of %s%s", a.Command, known, cli.Nearest(a.Command, names))}
}

// read returns the machine that a command is about.
func (c *command) read(keys map[string]json.RawMessage) (machine string, fault *commands.Fault) {
	has := []string{"command", "id"}
	if c.machine != "" {
		has = append(has, "machine")
	}
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		if !slices.Contains(has, k) {
			return "", &commands.Fault{Code: commands.UnknownKey, Key: k,
				Text: fmt.Sprintf("%s has no key %q: it has %s", c.name, k, strings.Join(has, ", "))}
		}
	}
	if c.machine == "" {
		return "", nil
	}
	raw := keys["machine"]
	var number uint64
	switch {
	case len(raw) == 0 || string(raw) == `""`:
		return "", &commands.Fault{Code: commands.MissingKey, Key: "machine", Text: `"machine" is missing: ` + c.machine}
	case json.Unmarshal(raw, &machine) == nil && machine != "":
		return machine, nil
	case json.Unmarshal(raw, &number) == nil && string(raw) != "null":
		return fmt.Sprint("#", number), nil // it is no name
	}
	return "", &commands.Fault{Code: commands.WrongType, Key: "machine", Text: `"machine" must be ` + c.machine}
}

// faultOf returns what an error means.
func faultOf(err error) *commands.Fault {
	if f, is := err.(*commands.Fault); is { //nolint:errorlint // it is as it was made
		return f
	}
	return &commands.Fault{Code: commands.Failed, Text: err.Error()}
}

// answerID answers a newcomer by its id.
func answerID(s Session, id string, yes bool) error {
	b, err := hex.DecodeString(id)
	if err != nil || len(b) != len(link.ID{}) {
		return &commands.Fault{Code: commands.BadValue, Key: "machine", Text: `"machine" must be ` + byID}
	}
	return s.Answer(link.ID(b), yes)
}

func (a *answer) fail(f *commands.Fault) *answer {
	a.OK, a.Error, a.Key, a.Text = false, f.Code, f.Key, f.Text
	return a
}

// append appends the answer as a line.
func (a *answer) append(b []byte, at time.Time) []byte {
	a.Time = at.UTC().Format(events.TimeFormat)
	return events.AppendJSON(b, a)
}

// machines returns those of the session.
func machines(s Session) (list []*MachineObject) {
	members := s.Members()
	for i := range members {
		list = append(list, ObjectOf(&members[i]))
	}
	return list
}
