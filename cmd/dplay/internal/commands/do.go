package commands

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/events"
	"dplay4/dpsp"
	"dplay4/wire"
)

// A Session is what does the commands.
type Session interface {
	Do(ctx context.Context, c dpsp.Command) (wire.PlayerID, error)
	CreateObject(ctx context.Context, state []byte) (wire.ObjectID, error)
	// Pressed reports whether so much waits to be sent that it is better to wait.
	Pressed() bool
}

// A Situation is what commands mean that do not say everything.
type Situation struct {
	From       wire.PlayerID // who says what nobody in particular says; 0: there is nobody
	To         wire.PlayerID // whom it is said to
	NoGroup    string        // the name of the group that it should be said to, if there is none now
	Guaranteed bool
	Session    dpsp.SessionOpened
	Password   string // of the session
	Unknown    bool   // another machine changed the password
}

// An Answer is the event that answers a line.
type Answer struct {
	Time    string          `json:"time"`
	Event   string          `json:"event"`
	ID      json.RawMessage `json:"id,omitempty"`
	Line    int             `json:"line"`
	Command string          `json:"command,omitempty"`
	OK      bool            `json:"ok"`
	Player  *string         `json:"player,omitempty"`
	Group   *string         `json:"group,omitempty"`
	Object  *string         `json:"object,omitempty"`
	Error   Code            `json:"error,omitempty"`
	Key     string          `json:"key,omitempty"`
	Text    string          `json:"text,omitempty"`
	*events.Listing
}

// Answer returns the answer to a command: ok if there is no fault.
func (c *Command) Answer(line int, wrong *Fault) *Answer {
	a := &Answer{Event: "answer", ID: c.ID, Line: line, Command: c.Name, OK: wrong == nil}
	if wrong != nil {
		a.Error, a.Key, a.Text = wrong.Code, wrong.Key, wrong.Text
	}
	return a
}

// Append appends an answer as a line.
func (a *Answer) Append(b []byte, at time.Time) []byte {
	a.Time = at.UTC().Format(events.TimeFormat)
	return events.AppendJSON(b, a)
}

// A fallback is the value of a key that a command leaves out.
type fallback struct {
	key   string
	value any
	none  bool // there is no such value
	wrong *Fault
}

// fallbacks are those of all commands.
func (s *Situation) fallbacks() []fallback {
	d := &s.Session.Desc
	return []fallback{
		{"from", s.From, s.From == 0, fault(NoPlayer, "from", "we have no player that could say it: create_player makes one")},
		{"to", s.To, s.NoGroup != "", fault(NoGroup, "to", "there is no group %q now", s.NoGroup)},
		{"guaranteed", s.Guaranteed, false, nil},
		{"session_name", dpsp.Text(s.Session.Name), false, nil},
		{"password", dpsp.Text(s.Password), s.Unknown && d.Flags&wire.SessionPasswordRequired != 0,
			fault(UnknownPassword, "password", `another machine changed the session: say what "password" it is to have`)},
		{"max_players", uint64(d.MaxPlayers), false, nil},
		{"session_flags", d.Flags, false, nil},
		{"application_defined", d.User, false, nil},
	}
}

// Request returns what a command asks of the engine; nil for the command "list".
func (c *Command) Request(s *Situation) (dpsp.Command, *Fault) {
	optional := strings.Fields(c.spec.may)
	for _, f := range s.fallbacks() {
		switch {
		case c.args[f.key] != nil, !slices.Contains(optional, f.key):
		case f.none:
			return nil, f.wrong
		default:
			c.args[f.key] = f.value
		}
	}
	return c.spec.make(c.args), nil
}

// look is how often it is asked whether there is room for more.
const look = 2 * time.Millisecond

// speaking are the commands that wait while too much waits to be sent.
var speaking = []string{"say", "send", "create_object", "update_object"}

// Do has a session do what a command asks, and returns what is to be answered but for the line and the listing. What is said waits as long
// as too much waits before it.
func (c *Command) Do(ctx context.Context, s Session, request dpsp.Command) *Answer {
	made, err := c.do(ctx, s, request)
	if err != nil {
		return c.Answer(0, faultOf(err))
	}
	a, id := c.Answer(0, nil), made.String()
	switch request.(type) {
	case dpsp.CreatePlayer:
		a.Player = &id
	case dpsp.CreateGroup:
		a.Group = &id
	case dpsp.CreateObject:
		a.Object = &id
	}
	return a
}

// do returns the id of what was made.
func (c *Command) do(ctx context.Context, s Session, request dpsp.Command) (fmt.Stringer, error) {
	for slices.Contains(speaking, c.Name) && s.Pressed() {
		if err := cli.Wait(ctx, look); err != nil {
			return nil, err
		}
	}
	switch r := request.(type) {
	case nil:
		return wire.PlayerID(0), nil
	case dpsp.CreateObject:
		return s.CreateObject(ctx, r.State)
	}
	return s.Do(ctx, request)
}
