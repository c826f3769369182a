// Package events prints what happens in sessions, for people and as the JSON that EVENTS.md describes. Tags on the type of an event are its
// keys. Its row in a [Table] has its name and its line for people.
package events

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"reflect"
	"strings"
	"time"

	"dplay4/captures/jsonline"
	"dplay4/cmd/dplay/internal/gamelist"
	"dplay4/dpsp"
	"dplay4/wire"
)

// TimeFormat is RFC 3339 with all nine decimals, as "dplay decode" writes times.
const TimeFormat = "2006-01-02T15:04:05.000000000Z07:00"

// An Object is the JSON of an event without its last brace; EVENTS.md describes the keys.
type Object []byte

// Begin appends the first two keys of each event to b: the time at which it is printed, and its name.
func Begin(b []byte, at time.Time, event string) Object {
	return Object(append(b, '{')).Add("time", at.UTC().Format(TimeFormat)).Add("event", event)
}

// Add appends a key and its value. It writes ids, GUIDs and sockets as text, octets in hexadecimal, times in seconds, and flags as a
// flagWord.
func (o Object) Add(key string, v any) Object {
	if o[len(o)-1] != '{' {
		o = append(o, ',')
	}
	o = append(append(append(o, '"'), key...), `":`...)
	switch x := v.(type) {
	case []byte:
		v = hex.EncodeToString(x)
	case time.Duration:
		v = x.Seconds()
	case error:
		v = x.Error()
	case wire.SessionFlags, wire.PlayerFlags, wire.EnumFlags:
		v = newFlagWord(x.(fmt.Stringer))
	case fmt.Stringer:
		v = x.String()
	}
	return bytes.TrimSuffix(AppendJSON(o, v), []byte("\n"))
}

// Fields appends the fields of e, in their order, by add, such as Object.Add. It leaves out those without a tag or with the tag "-", and
// zero values where the tag has omitzero.
func (o Object) Fields(e any, add func(o Object, key string, v any) Object) Object {
	all := reflect.ValueOf(e)
	for f, v := range all.Fields() {
		key, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		value := v.Interface()
		if d, is := value.(wire.SessionDesc); is {
			value = describeSession(all.FieldByName("Name").String(), &d)
		}
		switch {
		case f.Anonymous:
			o = o.Fields(value, add)
		case key == "", key == "-", option == "omitzero" && v.IsZero():
		default:
			o = add(o, key, value)
		}
	}
	return o
}

// End returns the object as a line.
func (o Object) End() []byte { return append(o, "}\n"...) }

// A flagWord is a flag word as "dplay decode" writes it.
type flagWord struct {
	Value any      `json:"value"`
	Names []string `json:"names"`
}

// newFlagWord returns the flagWord of flags of package wire.
func newFlagWord(flags fmt.Stringer) flagWord {
	names := strings.Split(flags.String(), "|")
	if names[0] == "0" {
		names = names[:0]
	}
	return flagWord{flags, names}
}

// A sessionObject is a session's description.
type sessionObject struct {
	Name        string    `json:"session_name"`
	Instance    string    `json:"instance_guid"`
	Application string    `json:"application_guid"`
	Game        string    `json:"game,omitempty"`
	Flags       flagWord  `json:"flags"`
	MaxPlayers  uint32    `json:"max_players"`
	Players     uint32    `json:"current_player_count"`
	User        [4]uint32 `json:"application_defined"`
}

func describeSession(name string, d *wire.SessionDesc) *sessionObject {
	return &sessionObject{
		Name: name, Instance: d.Instance.String(), Application: d.Application.String(), Game: gamelist.Title(d.Application),
		Flags: newFlagWord(d.Flags), MaxPlayers: d.MaxPlayers, Players: d.CurrentPlayers, User: d.User,
	}
}

// AppendJSON appends an object as a line.
func AppendJSON(b []byte, o any) []byte {
	b, err := jsonline.Append(b, o)
	if err != nil {
		panic(err) // strings and numbers cannot fail
	}
	return b
}

// AppendNDJSON appends the line of an event, or nothing for an answer. who knows the names, as they were before the event.
func AppendNDJSON(b []byte, at time.Time, e dpsp.Event, who *Roster) []byte {
	if NameOf(e) == "" {
		return b
	}
	return Begin(b, at, NameOf(e)).Fields(e, func(o Object, key string, v any) Object { return who.add(o, e, key, v) }).End()
}

// add appends a key of an event, and the keys next to it whose values come from the roster.
func (r *Roster) add(o Object, e dpsp.Event, key string, v any) Object {
	switch key {
	case "from":
		o = o.Add(key, v)
		if p, ok := r.list.Look(v.(wire.PlayerID)); ok && !p.Group && !isMachine(&p) {
			o = o.Add("from_name", name(&p))
		}
		return o
	case "hosting":
		o = o.Add(key, v)
		switch e := e.(type) {
		case dpsp.SessionOpened:
			o = r.addWhere(o, e.Host, e.Hosting).Add("stream", r.Stream).Add("datagram", r.Datagram)
		case dpsp.HostChanged:
			o = r.addWhere(o, e.New, e.Hosting)
		}
		return o
	case "payload":
		o = o.Add("size", len(v.([]byte)))
	case "changed":
		v = map[bool]string{true: "name", false: "data"}[v.(bool)]
	}
	return o.Add(key, v)
}
