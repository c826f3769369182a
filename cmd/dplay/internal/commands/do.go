package commands

import (
	"context"
	"encoding/json"
	"time"

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

	Password string `json:"-"` // that the session has now, if the command was SetSession
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

// Request returns what a command asks of the engine; nil for List.
func (c *Command) Request(s *Situation) (dpsp.Command, *Fault) {
	switch c.Name {
	case List:
		return nil, nil
	case SetSession:
		return c.setDesc(s)
	}
	request := c.spec.make(&c.args)
	switch r := request.(type) {
	case dpsp.Chat:
		wrong := c.address(s, &r.From, &r.To, &r.Guaranteed)
		return r, wrong
	case dpsp.Send:
		wrong := c.address(s, &r.From, &r.To, &r.Guaranteed)
		return r, wrong
	}
	return request, nil
}

// address fills in what a message does not say.
func (c *Command) address(s *Situation, from, to *wire.PlayerID, guaranteed *bool) *Fault {
	if !c.args.has("from") {
		if *from = s.From; s.From == 0 {
			return fault(NoPlayer, "from", "we have no player that could say it: create_player makes one")
		}
	}
	if !c.args.has("to") {
		if *to = s.To; s.NoGroup != "" {
			return fault(NoGroup, "to", "there is no group %q now", s.NoGroup)
		}
	}
	if !c.args.has("guaranteed") {
		*guaranteed = s.Guaranteed
	}
	return nil
}

// setDesc changes what the command says of the session, and leaves the rest as it is.
func (c *Command) setDesc(s *Situation) (dpsp.Command, *Fault) {
	d := dpsp.SetDesc{Name: dpsp.Text(s.Session.Name), Password: dpsp.Text(s.Password), MaxPlayers: s.Session.Desc.MaxPlayers,
		Flags: s.Session.Desc.Flags, User: s.Session.Desc.User}
	if c.args.has("session_name") {
		d.Name = c.args.text("session_name")
	}
	switch {
	case c.args.has("password"):
		d.Password = c.args.text("password")
	case s.Unknown && d.Flags&wire.SessionPasswordRequired != 0:
		return nil, fault(UnknownPassword, "password", `another machine changed the session: say what "password" it is to have`)
	}
	if c.args.has("max_players") {
		d.MaxPlayers = uint32(c.args.number("max_players"))
	}
	if c.args.has("session_flags") {
		d.Flags = wire.SessionFlags(c.args.number("session_flags"))
	}
	if user, ok := c.args.of["application_defined"].([4]uint32); ok {
		d.User = user
	}
	return d, nil
}

// look is how often it is asked whether there is room for more.
const look = 2 * time.Millisecond

// Do has a session do what a command asks, and returns what is to be answered but for the line. What is said waits as long as
// too much waits before it.
func (c *Command) Do(ctx context.Context, s Session, request dpsp.Command) *Answer {
	switch r := request.(type) {
	case dpsp.Chat, dpsp.Send, dpsp.CreateObject, dpsp.UpdateObject:
		if err := room(ctx, s); err != nil {
			return c.Answer(0, faultOf(err))
		}
		if r, ok := r.(dpsp.CreateObject); ok {
			return c.createObject(ctx, s, r)
		}
	}
	made, err := s.Do(ctx, request)
	if err != nil {
		return c.Answer(0, faultOf(err))
	}
	a, id := c.Answer(0, nil), made.String()
	switch request.(type) {
	case dpsp.CreatePlayer:
		a.Player = &id
	case dpsp.CreateGroup:
		a.Group = &id
	}
	return a
}

func (c *Command) createObject(ctx context.Context, s Session, r dpsp.CreateObject) *Answer {
	made, err := s.CreateObject(ctx, r.State)
	if err != nil {
		return c.Answer(0, faultOf(err))
	}
	a, id := c.Answer(0, nil), made.String()
	a.Object = &id
	return a
}

// room waits until there is room for what is to be sent.
func room(ctx context.Context, s Session) error {
	if !s.Pressed() {
		return ctx.Err()
	}
	again := time.NewTicker(look)
	defer again.Stop()
	for s.Pressed() {
		select {
		case <-again.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
