// Package events prints what happens in sessions, for people and as the JSON that EVENTS.md describes.
package events

import (
	"encoding/hex"
	"strings"
	"time"

	"dplay4/captures/jsonline"
	"dplay4/cmd/dplay/internal/gamelist"
	"dplay4/dpsp"
	"dplay4/wire"
)

// TimeFormat is RFC 3339 with all nine decimals, as "dplay decode" writes times.
const TimeFormat = "2006-01-02T15:04:05.000000000Z07:00"

// An Object is one event as an object; EVENTS.md describes the keys. A key that an event does not have is left
// out: pointers tell "not there" from zero and from an empty text.
type Object struct {
	Time       string         `json:"time"`
	Event      string         `json:"event"`
	ID         *string        `json:"id,omitempty"`
	System     *string        `json:"system,omitempty"`
	HostID     *string        `json:"host_id,omitempty"`
	OldHostID  *string        `json:"old_host_id,omitempty"`
	OtherHost  *string        `json:"other_host_id,omitempty"`
	Candidate  *string        `json:"candidate,omitempty"`
	Took       *float64       `json:"took,omitempty"`
	Parent     *string        `json:"parent,omitempty"`
	Player     *string        `json:"player,omitempty"`
	Group      *string        `json:"group,omitempty"`
	Child      *string        `json:"child,omitempty"`
	Flags      *FlagWord      `json:"flags,omitempty"`
	Name       *string        `json:"name,omitempty"`
	LongName   *string        `json:"long_name,omitempty"`
	Data       *string        `json:"data,omitempty"`
	Local      *bool          `json:"local,omitempty"`
	Changed    *string        `json:"changed,omitempty"`
	From       *string        `json:"from,omitempty"`
	FromName   *string        `json:"from_name,omitempty"`
	To         *string        `json:"to,omitempty"`
	Sent       *string        `json:"sent,omitempty"`
	Guaranteed *bool          `json:"guaranteed,omitempty"`
	Size       *int           `json:"size,omitempty"`
	Payload    *string        `json:"payload,omitempty"`
	Text       *string        `json:"text,omitempty"`
	Hosting    *bool          `json:"hosting,omitempty"`
	Addr       *string        `json:"addr,omitempty"`
	Addresses  *[]string      `json:"addresses,omitempty"`
	Stream     *string        `json:"stream,omitempty"`
	Datagram   *string        `json:"datagram,omitempty"`
	Session    *SessionObject `json:"session,omitempty"`
	Command    *string        `json:"command,omitempty"`
	Cause      dpsp.Cause     `json:"cause,omitempty"`
	Reason     *string        `json:"reason,omitempty"`
	Object     *string        `json:"object,omitempty"`
	Owner      *string        `json:"owner,omitempty"`
	OldOwner   *string        `json:"old_owner,omitempty"`
	Counter    *uint32        `json:"counter,omitempty"`
	State      *string        `json:"state,omitempty"`
	Token      *uint64        `json:"token,omitempty"`
	Lost       *bool          `json:"lost_at_break,omitempty"`

	Application *string `json:"application_guid,omitempty"`
	Password    *bool   `json:"password,omitempty"`
}

// A FlagWord is a flag word as "dplay decode" writes it.
type FlagWord struct {
	Value uint32   `json:"value"`
	Names []string `json:"names"`
}

// A SessionObject is a session's description.
type SessionObject struct {
	Name        string    `json:"session_name"`
	Instance    string    `json:"instance_guid"`
	Application string    `json:"application_guid"`
	Game        string    `json:"game,omitempty"`
	Flags       FlagWord  `json:"flags"`
	MaxPlayers  uint32    `json:"max_players"`
	Players     uint32    `json:"current_player_count"`
	User        [4]uint32 `json:"application_defined"`
}

func idJSON(id wire.PlayerID) *string { return new(id.String()) }

func hexJSON(b []byte) *string { return new(hex.EncodeToString(b)) }

func playerFlags(f wire.PlayerFlags) *FlagWord {
	return &FlagWord{Value: uint32(f), Names: flagWords(uint32(f), f.String())}
}

// flagWords splits what a flag word prints as.
func flagWords(value uint32, text string) []string {
	if value == 0 {
		return []string{}
	}
	return strings.Split(text, "|")
}

func describeSession(name string, d *wire.SessionDesc) *SessionObject {
	return &SessionObject{
		Name: name, Instance: d.Instance.String(), Application: d.Application.String(), Game: gamelist.Title(d.Application),
		Flags:      FlagWord{uint32(d.Flags), flagWords(uint32(d.Flags), d.Flags.String())},
		MaxPlayers: d.MaxPlayers, Players: d.CurrentPlayers, User: d.User,
	}
}

// A Printer makes lines of events.
type Printer interface {
	// Append appends the line of an event, or nothing for one that is not shown. who knows the names, as they
	// were before the event.
	Append(b []byte, at time.Time, e dpsp.Event, who *Roster) []byte
}

// An NDJSON writes every event as an object.
type NDJSON struct{}

func (NDJSON) Append(b []byte, at time.Time, e dpsp.Event, who *Roster) []byte {
	o := ObjectOf(e, who)
	if o == nil {
		return b
	}
	o.Time = at.UTC().Format(TimeFormat)
	return AppendJSON(b, o)
}

// AppendJSON appends an object as a line.
func AppendJSON(b []byte, o any) []byte {
	b, err := jsonline.Append(b, o)
	if err != nil {
		panic(err) // strings and numbers cannot fail
	}
	return b
}

// ObjectOf returns the object of an event, without its time; nil of an answer, which is no event.
func ObjectOf(e dpsp.Event, who *Roster) *Object {
	o := fieldsOf(e, who)
	if o != nil {
		o.Event = NameOf(e)
	}
	return o
}

// fieldsOf returns what ObjectOf does, but for the name of the event.
func fieldsOf(e dpsp.Event, who *Roster) *Object {
	switch e := e.(type) {
	case dpsp.SessionFound:
		return &Object{Addr: new(e.Host.String()), Session: describeSession(e.Name, &e.Desc)}
	case dpsp.SessionOpened:
		return &Object{System: idJSON(e.System), HostID: idJSON(e.Host), Hosting: &e.Hosting,
			Stream: new(who.Stream.String()), Datagram: new(who.Datagram.String()), Addresses: who.where(e.Host, e.Hosting),
			Session: describeSession(e.Name, &e.Desc)}
	case dpsp.SessionChanged:
		return &Object{Session: describeSession(e.Name, &e.Desc)}
	case dpsp.SessionClosed:
		return &Object{}
	case dpsp.JoinFailed:
		return &Object{Addr: new(e.Host.String()), Reason: new(e.Err.Error())}
	case dpsp.EnumerationIgnored:
		return &Object{Addr: new(e.From.String()), Application: new(e.Application.String()),
			Flags: &FlagWord{uint32(e.Flags), flagWords(uint32(e.Flags), e.Flags.String())}, Password: &e.Password,
			Reason: new(string(e.Reason))}
	case dpsp.SessionLost:
		return &Object{Cause: e.Cause, Reason: &e.Reason}
	case dpsp.PeerJoined:
		return &Object{System: idJSON(e.System), Addr: new(e.Addr.String())}
	case dpsp.PeerLost:
		return &Object{System: idJSON(e.System), Cause: e.Cause, Reason: &e.Reason}
	case dpsp.ConnectionRenewed:
		return &Object{System: idJSON(e.System), Lost: &e.Lost}
	case dpsp.Message:
		return &Object{From: idJSON(e.From), FromName: who.nameJSON(e.From), To: idJSON(e.To), Sent: idJSON(e.Sent),
			Guaranteed: &e.Guaranteed, Size: new(len(e.Payload)), Payload: hexJSON(e.Payload)}
	case dpsp.ChatMessage:
		return &Object{From: idJSON(e.From), FromName: who.nameJSON(e.From), To: idJSON(e.To), Sent: idJSON(e.Sent),
			Guaranteed: &e.Guaranteed, Text: &e.Text}
	case dpsp.Delivered:
		o := &Object{Token: &e.Notify}
		if e.Err != nil {
			o.Reason = new(e.Err.Error())
		}
		return o
	case dpsp.PeerReading:
		return &Object{System: idJSON(e.System), Text: new(e.Reading.String())}
	case dpsp.Dropped:
		o := &Object{Command: &e.Command, Reason: new(string(e.Reason)), Text: &e.Text}
		if e.From.IsValid() {
			o.Addr = new(e.From.String())
		}
		return o
	case dpsp.HostLost:
		return &Object{HostID: idJSON(e.Host), Cause: e.Cause, Reason: &e.Reason}
	case dpsp.MigrationStarted:
		return &Object{Candidate: idJSON(e.Candidate)}
	case dpsp.HostChanged:
		return &Object{HostID: idJSON(e.New), OldHostID: idJSON(e.Old), Took: new(e.Took.Seconds()),
			Hosting: &e.Hosting, Addresses: who.where(e.New, e.Hosting)}
	case dpsp.SessionSplit:
		return &Object{HostID: idJSON(e.Host), OtherHost: idJSON(e.Other)}
	case dpsp.SessionHealed:
		return &Object{System: idJSON(e.System), HostID: idJSON(e.Host)}
	case dpsp.PlayerCreated:
		return &Object{ID: idJSON(e.ID), System: idJSON(e.System), Flags: playerFlags(e.Flags),
			Name: &e.ShortName, LongName: &e.LongName, Data: hexJSON(e.Data), Local: &e.Local}
	case dpsp.PlayerDeleted:
		return &Object{ID: idJSON(e.ID), Name: &e.Name}
	case dpsp.PlayerChanged:
		return &Object{ID: idJSON(e.ID), Name: &e.ShortName, LongName: &e.LongName, Data: hexJSON(e.Data),
			Changed: whatChanged(e.Renamed)}
	case dpsp.GroupCreated:
		return &Object{ID: idJSON(e.ID), System: idJSON(e.System), Parent: idJSON(e.Parent),
			Flags: playerFlags(e.Flags), Name: &e.ShortName, LongName: &e.LongName, Data: hexJSON(e.Data), Local: &e.Local}
	case dpsp.GroupDeleted:
		return &Object{ID: idJSON(e.ID)}
	case dpsp.GroupChanged:
		return &Object{ID: idJSON(e.ID), Name: &e.ShortName, LongName: &e.LongName, Data: hexJSON(e.Data),
			Changed: whatChanged(e.Renamed)}
	case dpsp.MemberAdded:
		return &Object{Player: idJSON(e.Player), Group: idJSON(e.Group)}
	case dpsp.MemberRemoved:
		return &Object{Player: idJSON(e.Player), Group: idJSON(e.Group)}
	case dpsp.ShortcutAdded:
		return &Object{Child: idJSON(e.Child), Parent: idJSON(e.Parent)}
	case dpsp.ShortcutRemoved:
		return &Object{Child: idJSON(e.Child), Parent: idJSON(e.Parent)}
	case dpsp.ObjectCreated:
		return &Object{Object: new(e.ID.String()), Owner: idJSON(e.Owner), Counter: &e.Counter,
			State: hexJSON(e.State)}
	case dpsp.ObjectUpdated:
		return &Object{Object: new(e.ID.String()), Owner: idJSON(e.Owner), State: hexJSON(e.State)}
	case dpsp.ObjectMigrated:
		return &Object{Object: new(e.ID.String()), Owner: idJSON(e.To), OldOwner: idJSON(e.From),
			Counter: &e.Counter, State: hexJSON(e.State)}
	case dpsp.ObjectDestroyed:
		return &Object{Object: new(e.ID.String()), Owner: idJSON(e.Owner)}
	}
	return nil
}

func whatChanged(renamed bool) *string {
	if renamed {
		return new("name")
	}
	return new("data")
}
