package bridging

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"time"

	"dplay4/cmd/dplay/internal/commands"
	"dplay4/cmd/dplay/internal/events"
	"dplay4/dpsp/bridge/link"
)

// A request is a line of --commands ndjson.
type request struct {
	ID      json.RawMessage `json:"id"`
	Command string          `json:"command"`
	Machine string          `json:"machine"` // the id of a newcomer; the name or the number of a machine
}

// An answer answers one.
type answer struct {
	Time     string           `json:"time"`
	Event    string           `json:"event"`
	ID       json.RawMessage  `json:"id,omitempty"`
	Line     int              `json:"line"`
	Command  string           `json:"command,omitempty"`
	OK       bool             `json:"ok"`
	Error    commands.Code    `json:"error,omitempty"`
	Text     string           `json:"text,omitempty"`
	Code     string           `json:"code,omitempty"`
	Machines []*MachineObject `json:"machines,omitempty"`
}

// do does what a line says, and reports whether we leave.
func do(s Session, line commands.Line) (a *answer, leave bool) {
	a = &answer{Event: "answer", Line: line.Number}
	var r request
	d := json.NewDecoder(bytes.NewReader(line.Text))
	d.DisallowUnknownFields()
	switch err := d.Decode(&r); {
	case line.TooLong:
		return a.fail(commands.LineTooLong, "the line is too long"), false
	case !json.Valid(line.Text):
		return a.fail(commands.NotJSON, "the line is no JSON object"), false
	case err != nil:
		return a.fail(commands.BadValue, err.Error()+": there are id, command and machine, all of them text"), false
	}
	a.ID, a.Command = r.ID, r.Command
	var err error
	switch r.Command {
	case "admit", "refuse":
		b, e := hex.DecodeString(r.Machine)
		if e != nil || len(b) != len(link.ID{}) {
			return a.fail(commands.BadValue, "machine is the id of who asks, as machine_asks has it"), false
		}
		err = s.Answer(link.ID(b), r.Command == "admit")
	case "kick":
		_, err = kick(s, r.Machine)
	case "cut":
		_, err = cut(s, r.Machine)
	case "host", "join":
		err = s.LetHost(r.Command == "host")
	case "list":
		a.Code, a.Machines = s.Code(), machines(s)
	case "leave":
		leave = true
	default:
		return a.fail(commands.UnknownCommand, "there are admit, refuse, kick, cut, host, join, list and leave"), false
	}
	if err != nil {
		return a.fail(commands.Failed, err.Error()), false
	}
	a.OK = true
	return a, leave
}

func (a *answer) fail(code commands.Code, text string) *answer {
	a.OK, a.Error, a.Text = false, code, text
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
