package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	"dplay4/dpsp"
	"dplay4/wire"
)

// eventTime is RFC 3339 with all nine decimals, as "dplay decode" writes times.
const eventTime = "2006-01-02T15:04:05.000000000Z07:00"

// An eventJSON is one event as an object; EVENTS.md describes the keys. A key that an event does not have is left
// out: pointers tell "not there" from zero and from an empty text.
type eventJSON struct {
	Time       string       `json:"time"`
	Event      string       `json:"event"`
	ID         *string      `json:"id,omitempty"`
	System     *string      `json:"system,omitempty"`
	HostID     *string      `json:"host_id,omitempty"`
	OldHostID  *string      `json:"old_host_id,omitempty"`
	OtherHost  *string      `json:"other_host_id,omitempty"`
	Candidate  *string      `json:"candidate,omitempty"`
	Took       *float64     `json:"took,omitempty"`
	Parent     *string      `json:"parent,omitempty"`
	Player     *string      `json:"player,omitempty"`
	Group      *string      `json:"group,omitempty"`
	Child      *string      `json:"child,omitempty"`
	Flags      *flagsJSON   `json:"flags,omitempty"`
	Name       *string      `json:"name,omitempty"`
	LongName   *string      `json:"long_name,omitempty"`
	Data       *string      `json:"data,omitempty"`
	Local      *bool        `json:"local,omitempty"`
	Changed    *string      `json:"changed,omitempty"`
	From       *string      `json:"from,omitempty"`
	FromName   *string      `json:"from_name,omitempty"`
	To         *string      `json:"to,omitempty"`
	Sent       *string      `json:"sent,omitempty"`
	Guaranteed *bool        `json:"guaranteed,omitempty"`
	Size       *int         `json:"size,omitempty"`
	Payload    *string      `json:"payload,omitempty"`
	Text       *string      `json:"text,omitempty"`
	Hosting    *bool        `json:"hosting,omitempty"`
	Addr       *string      `json:"addr,omitempty"`
	Stream     *string      `json:"stream,omitempty"`
	Datagram   *string      `json:"datagram,omitempty"`
	Session    *sessionJSON `json:"session,omitempty"`
	Command    *string      `json:"command,omitempty"`
	Reason     *string      `json:"reason,omitempty"`
	Object     *string      `json:"object,omitempty"`
	Owner      *string      `json:"owner,omitempty"`
	OldOwner   *string      `json:"old_owner,omitempty"`
	Counter    *uint32      `json:"counter,omitempty"`
	State      *string      `json:"state,omitempty"`
}

// A flagsJSON is a flag word as "dplay decode" writes it.
type flagsJSON struct {
	Value uint32   `json:"value"`
	Names []string `json:"names"`
}

// A sessionJSON is a session's description.
type sessionJSON struct {
	Name        string    `json:"session_name"`
	Instance    string    `json:"instance_guid"`
	Application string    `json:"application_guid"`
	Game        string    `json:"game,omitempty"`
	Flags       flagsJSON `json:"flags"`
	MaxPlayers  uint32    `json:"max_players"`
	Players     uint32    `json:"current_player_count"`
	User        [4]uint32 `json:"application_defined"`
}

func ptr[T any](v T) *T { return &v }

func idJSON(id wire.PlayerID) *string { return ptr(id.String()) }

func hexJSON(b []byte) *string { return ptr(hex.EncodeToString(b)) }

func playerFlags(f wire.PlayerFlags) *flagsJSON {
	return &flagsJSON{Value: uint32(f), Names: flagWords(uint32(f), f.String())}
}

// flagWords splits what a flag word prints as.
func flagWords(value uint32, text string) []string {
	if value == 0 {
		return []string{}
	}
	return strings.Split(text, "|")
}

func describeSession(name string, d *wire.SessionDesc) *sessionJSON {
	return &sessionJSON{
		Name: name, Instance: d.Instance.String(), Application: d.Application.String(), Game: gameTitle(d.Application),
		Flags:      flagsJSON{uint32(d.Flags), flagWords(uint32(d.Flags), d.Flags.String())},
		MaxPlayers: d.MaxPlayers, Players: d.CurrentPlayers, User: d.User,
	}
}

// An eventPrinter makes lines of events.
type eventPrinter interface {
	// append appends the line of an event, or nothing for one that is not shown. who knows the names, as they
	// were before the event.
	append(b []byte, at time.Time, e dpsp.Event, who *roster) []byte
}

// An ndjsonEvents writes every event as an object.
type ndjsonEvents struct{ buf bytes.Buffer }

func (p *ndjsonEvents) append(b []byte, at time.Time, e dpsp.Event, who *roster) []byte {
	o := eventObject(e, who)
	if o == nil {
		return b
	}
	return p.object(b, at, o)
}

func (p *ndjsonEvents) object(b []byte, at time.Time, o *eventJSON) []byte {
	o.Time = at.UTC().Format(eventTime)
	p.buf.Reset()
	enc := json.NewEncoder(&p.buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(o); err != nil {
		panic(err) // strings and numbers cannot fail
	}
	return append(b, p.buf.Bytes()...)
}

// eventObject gives the object of an event, without its time.
func eventObject(e dpsp.Event, who *roster) *eventJSON {
	switch e := e.(type) {
	case dpsp.SessionFound:
		return &eventJSON{Event: "session_found", Addr: ptr(e.Host.String()), Session: describeSession(e.Name, &e.Desc)}
	case dpsp.SessionOpened:
		return &eventJSON{Event: "session_opened", System: idJSON(e.System), HostID: idJSON(e.Host), Hosting: &e.Hosting,
			Stream: ptr(who.stream.String()), Datagram: ptr(who.datagram.String()), Session: describeSession(e.Name, &e.Desc)}
	case dpsp.SessionChanged:
		return &eventJSON{Event: "session_changed", Session: describeSession(e.Name, &e.Desc)}
	case dpsp.SessionClosed:
		return &eventJSON{Event: "session_closed"}
	case dpsp.SessionLost:
		return &eventJSON{Event: "session_lost", Reason: &e.Reason}
	case dpsp.PeerJoined:
		return &eventJSON{Event: "peer_joined", System: idJSON(e.System), Addr: ptr(e.Addr.String())}
	case dpsp.PeerLost:
		return &eventJSON{Event: "peer_lost", System: idJSON(e.System), Reason: &e.Reason}
	case dpsp.Message:
		return &eventJSON{Event: "message", From: idJSON(e.From), FromName: who.nameJSON(e.From), To: idJSON(e.To), Sent: idJSON(e.Sent),
			Guaranteed: &e.Guaranteed, Size: ptr(len(e.Payload)), Payload: hexJSON(e.Payload)}
	case dpsp.ChatMessage:
		return &eventJSON{Event: "chat", From: idJSON(e.From), FromName: who.nameJSON(e.From), To: idJSON(e.To), Sent: idJSON(e.Sent),
			Guaranteed: &e.Guaranteed, Text: &e.Text}
	case dpsp.Dropped:
		o := &eventJSON{Event: "dropped", Command: &e.Command, Reason: ptr(string(e.Reason)), Text: &e.Text}
		if e.From.IsValid() {
			o.Addr = ptr(e.From.String())
		}
		return o
	}
	if o := hostEvent(e); o != nil {
		return o
	}
	if o := objectEvent(e); o != nil {
		return o
	}
	return listEvent(e)
}

// hostEvent gives the object of an event about who is host.
func hostEvent(e dpsp.Event) *eventJSON {
	switch e := e.(type) {
	case dpsp.HostLost:
		return &eventJSON{Event: "host_lost", HostID: idJSON(e.Host), Reason: &e.Reason}
	case dpsp.MigrationStarted:
		return &eventJSON{Event: "migration_started", Candidate: idJSON(e.Candidate)}
	case dpsp.HostChanged:
		return &eventJSON{Event: "host_changed", HostID: idJSON(e.New), OldHostID: idJSON(e.Old), Took: ptr(e.Took.Seconds()), Hosting: &e.Hosting}
	case dpsp.SessionSplit:
		return &eventJSON{Event: "session_split", HostID: idJSON(e.Host), OtherHost: idJSON(e.Other)}
	case dpsp.SessionHealed:
		return &eventJSON{Event: "session_healed", System: idJSON(e.System), HostID: idJSON(e.Host)}
	}
	return nil
}

// listEvent gives the object of an event about players and groups.
func listEvent(e dpsp.Event) *eventJSON {
	switch e := e.(type) {
	case dpsp.PlayerCreated:
		return &eventJSON{Event: "player_created", ID: idJSON(e.ID), System: idJSON(e.System), Flags: playerFlags(e.Flags),
			Name: &e.ShortName, LongName: &e.LongName, Data: hexJSON(e.Data), Local: &e.Local}
	case dpsp.PlayerDeleted:
		return &eventJSON{Event: "player_deleted", ID: idJSON(e.ID), Name: &e.Name}
	case dpsp.PlayerChanged:
		return &eventJSON{Event: "player_changed", ID: idJSON(e.ID), Name: &e.ShortName, LongName: &e.LongName, Data: hexJSON(e.Data),
			Changed: whatChanged(e.Renamed)}
	case dpsp.GroupCreated:
		return &eventJSON{Event: "group_created", ID: idJSON(e.ID), System: idJSON(e.System), Parent: idJSON(e.Parent), Flags: playerFlags(e.Flags),
			Name: &e.ShortName, LongName: &e.LongName, Data: hexJSON(e.Data), Local: &e.Local}
	case dpsp.GroupDeleted:
		return &eventJSON{Event: "group_deleted", ID: idJSON(e.ID)}
	case dpsp.GroupChanged:
		return &eventJSON{Event: "group_changed", ID: idJSON(e.ID), Name: &e.ShortName, LongName: &e.LongName, Data: hexJSON(e.Data),
			Changed: whatChanged(e.Renamed)}
	case dpsp.MemberAdded:
		return &eventJSON{Event: "member_added", Player: idJSON(e.Player), Group: idJSON(e.Group)}
	case dpsp.MemberRemoved:
		return &eventJSON{Event: "member_removed", Player: idJSON(e.Player), Group: idJSON(e.Group)}
	case dpsp.ShortcutAdded:
		return &eventJSON{Event: "shortcut_added", Child: idJSON(e.Child), Parent: idJSON(e.Parent)}
	case dpsp.ShortcutRemoved:
		return &eventJSON{Event: "shortcut_removed", Child: idJSON(e.Child), Parent: idJSON(e.Parent)}
	}
	return nil
}

func whatChanged(renamed bool) *string {
	if renamed {
		return ptr("name")
	}
	return ptr("data")
}
