package events

import (
	"encoding/json"
	"errors"
	"flag"
	"maps"
	"net/netip"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/games"
	"dplay4/dpsp/reliable"
	replicated "dplay4/hostmigrate/object"
	"dplay4/wire"
)

var rewrite = flag.Bool("rewrite", false, "write the keys of the events into EVENTS.md")

// The events of this test have a value in every field.
var (
	eventDesc = wire.SessionDesc{Flags: wire.SessionKeepAlive | 1<<20, Instance: wire.GUID{1}, Application: lotr2(),
		MaxPlayers: 8, CurrentPlayers: 2, User: [4]uint32{1, 2, 3, 4}}
	eventRock   = wire.ObjectID{Creator: 0x10, Number: 5}
	eventSocket = netip.MustParseAddrPort("192.0.2.1:2300")
	allEvents   = map[string]dpsp.Event{
		"session_found":      dpsp.SessionFound{Host: eventSocket, Desc: eventDesc, Name: "S"},
		"session_opened":     dpsp.SessionOpened{Desc: eventDesc, Name: "S", System: 0x10, Host: 0x20},
		"session_changed":    dpsp.SessionChanged{Desc: eventDesc, Name: "S"},
		"session_closed":     dpsp.SessionClosed{},
		"session_lost":       dpsp.SessionLost{Cause: dpsp.CauseSilent, Reason: "why"},
		"host_lost":          dpsp.HostLost{Host: 0x10, Cause: dpsp.CauseSilent, Reason: "why"},
		"migration_started":  dpsp.MigrationStarted{Candidate: 0x20},
		"host_changed":       dpsp.HostChanged{Old: 0x10, New: 0x20, Took: 1500 * time.Millisecond},
		"session_split":      dpsp.SessionSplit{Host: 0x10, Other: 0x20},
		"session_healed":     dpsp.SessionHealed{Host: 0x10, System: 0x20},
		"peer_joined":        dpsp.PeerJoined{System: 0x10, Addr: eventSocket},
		"peer_lost":          dpsp.PeerLost{System: 0x10, Cause: dpsp.CauseSilent, Reason: "why"},
		"connection_renewed": dpsp.ConnectionRenewed{System: 0x10, Lost: true},
		"peer_reading":       dpsp.PeerReading{System: 0x10, Reading: reliable.TwoSpaces},
		"delivered":          dpsp.Delivered{Notify: 7, Err: errors.New("why")},
		"player_created": dpsp.PlayerCreated{ID: 0x11, System: 0x10, Flags: wire.PlayerLocal, ShortName: "Ann", LongName: "Ann B",
			Data: []byte{1}, Local: true},
		"player_deleted":   dpsp.PlayerDeleted{ID: 0x11, Name: "Ann"},
		"player_changed":   dpsp.PlayerChanged{ID: 0x11, ShortName: "Ann", LongName: "", Renamed: true},
		"group_created":    dpsp.GroupCreated{ID: 0x12, System: 0x10, ShortName: "Team"},
		"group_deleted":    dpsp.GroupDeleted{ID: 0x12},
		"group_changed":    dpsp.GroupChanged{ID: 0x12, Data: []byte{2}},
		"member_added":     dpsp.MemberAdded{Player: 0x11, Group: 0x12},
		"member_removed":   dpsp.MemberRemoved{Player: 0x11, Group: 0x12},
		"shortcut_added":   dpsp.ShortcutAdded{Child: 0x12, Parent: 0x13},
		"shortcut_removed": dpsp.ShortcutRemoved{Child: 0x12, Parent: 0x13},
		"message":          dpsp.Message{From: 0x11, To: 0x14, Sent: wire.IDAll, Payload: []byte{0xAB, 0xCD}},
		"chat":             dpsp.ChatMessage{From: 0x11, To: 0x14, Sent: 0x14, Guaranteed: true, Text: "<hi> & \"bye\""},
		"object_created": dpsp.ObjectCreated{ObjectCreated: replicated.ObjectCreated{ID: eventRock, Owner: 0x10, Counter: 1,
			State: []byte{1}}},
		"object_updated": dpsp.ObjectUpdated{ObjectUpdated: replicated.ObjectUpdated{ID: eventRock, Owner: 0x20,
			State: []byte{0xAB, 2}}},
		"object_migrated": dpsp.ObjectMigrated{ObjectMigrated: replicated.ObjectMigrated{ID: eventRock, From: 0x10,
			To: 0x20, Counter: 3}},
		"object_destroyed": dpsp.ObjectDestroyed{ObjectDestroyed: replicated.ObjectDestroyed{ID: eventRock, Owner: 0x10}},
		"join_failed":      dpsp.JoinFailed{Host: eventSocket, Err: errors.New("why")},
		"enumeration_ignored": dpsp.EnumerationIgnored{From: eventSocket, Application: wire.GUID{1}, Flags: wire.EnumAvailable,
			Password: true, Reason: dpsp.SessionFull},
		"dropped": dpsp.Dropped{From: eventSocket, Command: "PING", Reason: dpsp.NoSuchID, Text: "why"},
	}
)

// known is a Roster with the player and the group of the events.
func known() *Roster {
	r := NewRoster()
	r.Learn(dpsp.PlayerCreated{ID: 0x11, System: 0x50, ShortName: "Ann"})
	r.Learn(dpsp.GroupCreated{ID: 0x12, System: 0x50, ShortName: "Team"})
	return r
}

// TestEventsDocumented holds each event against EVENTS.md: it has the keys that stand there, and no other. With -rewrite it writes the
// names and keys there, in the order of the objects, where they are others; what happened is written by hand.
func TestEventsDocumented(t *testing.T) {
	const file = "../../EVENTS.md"
	all, err := os.ReadFile(file)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(all), "| event | keys | what happened |\n|---|---|---|\n")
	require.True(t, found)
	table, rest, _ := strings.Cut(rest, "\n\n")
	who := known()
	who.Own = []netip.Addr{eventSocket.Addr()}
	kept, word := map[string]string{}, regexp.MustCompile("`([a-z_]+)`")
	words := func(text string) (list []string) {
		for _, m := range word.FindAllStringSubmatch(text, -1) {
			list = append(list, m[1])
		}
		return list
	}
	for _, r := range kinds {
		kept[r.name] = "`" + strings.Join(keysOf(t, r, who), "`, `") + "`"
	}
	kept["session_gone"] = kept["session_found"] // the events that the engine does not tell, see package browse
	kept["host_moved"] = "`addr`, `old_addr`, `session`"
	rows := slices.Collect(strings.SplitSeq(table, "\n"))
	sorted := func(text string) []string { return slices.Sorted(slices.Values(words(text))) }
	for i, row := range rows {
		cells := strings.Split(row, "|")
		require.Len(t, cells, 5, row)
		for _, name := range words(cells[1]) {
			want, is := kept[name]
			require.True(t, is, "%s is documented, but not written", name)
			if !slices.Equal(sorted(want), sorted(cells[2])) {
				cells[2] = " " + want + " "
			}
			delete(kept, name)
		}
		rows[i] = strings.Join(cells, "|")
	}
	for _, name := range slices.Sorted(maps.Keys(kept)) {
		rows = append(rows, "| `"+name+"` | "+kept[name]+" | |")
	}
	if got := strings.Join(rows, "\n"); *rewrite {
		got = before + "| event | keys | what happened |\n|---|---|---|\n" + got + "\n\n" + rest
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	} else {
		assert.Equal(t, got, table, "write it with -rewrite")
	}
	assert.Empty(t, AppendNDJSON(nil, time.Time{}, dpsp.Done{}, known()), "answers are not events")
}

// keysOf returns the keys of an event that has a value in each field, without time and event.
func keysOf(t *testing.T, r Row[*Roster], who *Roster) (keys []string) {
	e := reflect.New(r.Of).Elem()
	fill(e)
	at := time.Date(2026, 1, 2, 3, 4, 5, 60, time.FixedZone("", 3600))
	line := string(AppendNDJSON(nil, at, e.Interface().(dpsp.Event), who))
	assert.True(t, strings.HasPrefix(line, `{"time":"2026-01-02T02:04:05.000000060Z","event":"`+r.name+`"`), line)
	assert.Equal(t, 1, strings.Count(line, "\n"), line)
	read := json.NewDecoder(strings.NewReader(line))
	_, err := read.Token()
	require.NoError(t, err, line)
	for read.More() {
		key, err := read.Token()
		require.NoError(t, err, line)
		var value any
		require.NoError(t, read.Decode(&value), line)
		assert.NotNil(t, value, line)
		keys = append(keys, key.(string))
	}
	return keys[2:]
}

// fill gives a value to each field.
func fill(v reflect.Value) {
	switch _, isError := v.Interface().(error); {
	case v.Type() == reflect.TypeFor[netip.AddrPort]():
		v.Set(reflect.ValueOf(eventSocket))
	case v.Type() == reflect.TypeFor[error]() && !isError:
		v.Set(reflect.ValueOf(errors.New("why")))
	case v.Kind() == reflect.Struct:
		for f, v := range v.Fields() {
			if f.IsExported() {
				fill(v)
			}
		}
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.Kind() == reflect.String:
		v.SetString("x")
	case v.CanUint():
		v.SetUint(0x11) // an id that known has
	case v.CanInt():
		v.SetInt(0x11)
	}
}

// TestKinds holds the table against the types of events.
func TestKinds(t *testing.T) {
	code, err := os.ReadFile("../../../../dpsp/output.go")
	require.NoError(t, err)
	want := []string{}
	for _, m := range regexp.MustCompile(`(?m)^func \((\w+)\) event\(\)`).FindAllStringSubmatch(string(code), -1) {
		if m[1] != "Done" && m[1] != "PlayersFound" { // they are answers
			want = append(want, m[1])
		}
	}
	got, names := []string{}, Names()
	for _, r := range kinds {
		got = append(got, r.Of.Name())
	}
	assert.ElementsMatch(t, want, got)
	assert.Equal(t, slices.Compact(slices.Clone(names)), names)
}

// TestEventValues checks how the values are written.
func TestEventValues(t *testing.T) {
	for name, want := range map[string]string{
		"chat": `"from":"0x00000011","from_name":"Ann","to":"0x00000014","sent":"0x00000014","guaranteed":true,` +
			`"text":"<hi> & \"bye\""}`,
		"message": `"from":"0x00000011","from_name":"Ann","to":"0x00000014","sent":"0x00000000","guaranteed":false,` +
			`"size":2,"payload":"abcd"}`,
		"session_changed": `"session":{"session_name":"S","instance_guid":"{00000001-0000-0000-0000-000000000000}",` +
			`"application_guid":"{1c8248c0-9772-11cf-b74f-00c0df413ed1}","game":"Lords of the Realm II",` +
			`"flags":{"value":1048640,"names":["KEEPALIVE","0x00100000"]},"max_players":8,` +
			`"current_player_count":2,"application_defined":[1,2,3,4]}}`,
		"player_changed":     `"id":"0x00000011","name":"Ann","long_name":"","data":"","changed":"name"}`,
		"group_changed":      `"id":"0x00000012","name":"","long_name":"","data":"02","changed":"data"}`,
		"host_changed":       `"host_id":"0x00000020","old_host_id":"0x00000010","took":1.5,"hosting":false}`,
		"session_split":      `"host_id":"0x00000010","other_host_id":"0x00000020"}`,
		"session_healed":     `"system":"0x00000020","host_id":"0x00000010"}`,
		"object_created":     `"object":"0x00000010/5","owner":"0x00000010","counter":1,"state":"01"}`,
		"object_updated":     `"object":"0x00000010/5","owner":"0x00000020","state":"ab02"}`,
		"object_migrated":    `"object":"0x00000010/5","owner":"0x00000020","old_owner":"0x00000010","counter":3,"state":""}`,
		"object_destroyed":   `"object":"0x00000010/5","owner":"0x00000010"}`,
		"delivered":          `"reason":"why","token":7}`,
		"connection_renewed": `"system":"0x00000010","lost_at_break":true}`,
		"peer_reading":       `"system":"0x00000010","text":"a space of messageids for reliable and one for unreliable messages (D1)"}`,
		"dropped":            `"text":"why","addr":"192.0.2.1:2300","command":"PING","reason":"no-such-id"}`,
	} {
		line := string(AppendNDJSON(nil, time.Time{}, allEvents[name], known()))
		assert.Contains(t, line, `"event":"`+name+`",`+want+"\n")
	}
	line := string(AppendNDJSON(nil, time.Time{}, dpsp.Dropped{Reason: dpsp.LimitReached}, known()))
	assert.NotContains(t, line, "addr", "what was ours came from nowhere")
	line = string(AppendNDJSON(nil, time.Time{}, dpsp.Delivered{Notify: 7}, known()))
	assert.Contains(t, line, `"event":"delivered","token":7}`, "nothing went wrong")
	line = string(AppendNDJSON(nil, time.Time{}, dpsp.ChatMessage{From: 0x99}, known()))
	assert.NotContains(t, line, "from_name")
}

// TestHostileJSON writes events whose texts try to be more than texts: the line has nothing that controls a terminal or turns
// writing around, and programs get what was sent.
func TestHostileJSON(t *testing.T) {
	const hostile = "\u0085\u009b31m\u009d\u202e\u2066\u061c\u200e\u200b\u2028\x7f\x1b]0;"
	texts := 0
	for name, e := range allEvents {
		v := reflect.New(reflect.TypeOf(e)).Elem()
		v.Set(reflect.ValueOf(e))
		for i := range v.NumField() {
			if f := v.Field(i); f.Kind() == reflect.String && f.CanSet() {
				f.SetString(hostile)
			}
		}
		line := string(AppendNDJSON(nil, time.Now(), v.Interface().(dpsp.Event), known()))
		for _, r := range strings.TrimSuffix(line, "\n") {
			require.True(t, unicode.IsGraphic(r), "%s: U+%04X stands in it as it is", name, r)
		}
		var o map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &o))
		for _, v := range o {
			if session, ok := v.(map[string]any); ok && session["session_name"] == hostile || v == hostile {
				texts++
			}
		}
	}
	assert.Greater(t, texts, 15)
}

// TestReasonsDocumented checks that EVENTS.md lists every reason for dropping a message.
func TestReasonsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../EVENTS.md")
	require.NoError(t, err)
	for _, r := range []dpsp.Reason{dpsp.Malformed, dpsp.Unknown, dpsp.OutOfTurn, dpsp.NoSuchID, dpsp.NotAllowed, dpsp.NotMember,
		dpsp.Conflict, dpsp.Unsupported, dpsp.LimitReached} {
		assert.Contains(t, string(text), "\n| `"+string(r)+"` |")
	}
	for _, r := range []dpsp.SilenceReason{dpsp.OtherGame, dpsp.PasswordUnknown, dpsp.PrivateSession,
		dpsp.SessionFull, dpsp.JoinDisabled, dpsp.NewPlayersDisabled} {
		assert.Contains(t, string(text), "`"+string(r)+"`")
	}
}

// TestAside: what somebody said to one player alone is marked, and not what may have been for a group.
func TestAside(t *testing.T) {
	who := known()
	said := func(e dpsp.ChatMessage) string {
		e.From, e.Text = 0x11, "psst"
		return string(Text{}.Append(nil, time.Time{}, e, who))
	}
	assert.Equal(t, "Ann (to you alone): psst\n", said(dpsp.ChatMessage{To: 0x14, Sent: 0x14}))
	assert.Equal(t, "Ann: psst\n", said(dpsp.ChatMessage{To: 0x14, Sent: wire.IDAll}))
	who.Learn(dpsp.PlayerCreated{ID: 0x14, System: 0x51, ShortName: "Bob"})
	who.Learn(dpsp.GroupCreated{ID: 0x30, System: 0x50})
	who.Learn(dpsp.MemberAdded{Group: 0x30, Player: 0x14})
	assert.Equal(t, "Ann (to you alone): psst\n", said(dpsp.ChatMessage{To: 0x14, Sent: 0x14}))
	assert.Equal(t, "Ann: psst\n", said(dpsp.ChatMessage{To: 0x14, Sent: 0x30}))
	who.Learn(dpsp.MemberAdded{Group: 0x30, Player: 0x11})
	assert.Equal(t, "Ann: psst\n", said(dpsp.ChatMessage{To: 0x14, Sent: 0x14}), "it may have been for the group")
	who.Learn(dpsp.MemberRemoved{Group: 0x30, Player: 0x11})
	assert.Equal(t, "Ann (to you alone): psst\n", said(dpsp.ChatMessage{To: 0x14, Sent: 0x14}))
	who.Learn(dpsp.SessionOpened{Desc: wire.SessionDesc{Flags: wire.SessionClientServer}})
	assert.Equal(t, "Ann: psst\n", said(dpsp.ChatMessage{To: 0x14, Sent: 0x14}), "clients know no groups")
}

// TestLostBy: over the internet it is not known who ended a connection.
func TestLostBy(t *testing.T) {
	who := known()
	line := func(reason string) string {
		return string(Text{}.Append(nil, time.Time{}, dpsp.PeerLost{System: 0x10, Reason: reason}, who))
	}
	assert.Contains(t, line(dpsp.ClosedConnection), "is lost: it closed its connection\n")
	who.Code = "ASC0"
	assert.Contains(t, line(dpsp.ClosedConnection), "is lost: the connection to it is gone\n")
	assert.Contains(t, line("it left 3 pings unanswered"), "is lost: it left 3 pings unanswered\n")
}

// TestEventText checks the lines for people.
func TestEventText(t *testing.T) {
	want := map[string]string{
		"session_found": "",
		"session_opened": `* joined "S", session {00000001-0000-0000-0000-000000000000} of Lords of the Realm II, ` +
			`keepalive,0x00100000; TCP 192.0.2.1:2300, UDP 192.0.2.1:2300`,
		"session_changed": `* the session changed: "S", 2 of 8 players, keepalive,0x00100000`,
		"session_closed":  "* you left the session",
		"join_failed":     "", // likewise
		"enumeration_ignored": "* 192.0.2.1 looks for sessions and gets no answer: it asks for sessions that can be joined, and this " +
			"one is full (flags AVAILABLE, another password)",
		"session_lost":       "", // told on standard error, at the end
		"host_lost":          "* the host, the machine 0x00000010, is lost: why; the session goes on",
		"migration_started":  "* the machine 0x00000020 is to be the next host",
		"host_changed":       "* the machine 0x00000020 is the host now, after 1.5s without one",
		"session_split":      "* the session is in two parts: ours, whose host is the machine 0x00000010, and one whose host is the machine 0x00000020",
		"session_healed":     "* the session is whole again; its host is the machine 0x00000010",
		"peer_joined":        "",
		"peer_lost":          "* the machine 0x00000010 is lost: why",
		"connection_renewed": "* the connection to the machine 0x00000010 broke and was made again; what was on the way to it may be lost",
		"delivered":          "",
		"peer_reading": "* the machine 0x00000010, with the reliable protocol: a space of messageids for reliable and one for " +
			"unreliable messages (D1)",
		"player_created":   "* you are Ann (0x00000011)",
		"player_deleted":   "* Ann is gone (0x00000011)",
		"player_changed":   "* Ann is called Ann now",
		"group_created":    "* there is a group Team (0x00000012)",
		"group_deleted":    "* the group Team is gone",
		"group_changed":    "* the group Team has new data: 1 octets",
		"member_added":     "* Ann is in the group Team",
		"member_removed":   "* Ann is out of the group Team",
		"shortcut_added":   "",
		"shortcut_removed": "",
		"message":          "Ann > everybody: 2 octets, not guaranteed: abcd",
		"chat":             `Ann (to you alone): <hi> & "bye"`,
		"object_created":   "* there is an object 0x00000010/5 of the machine 0x00000010: 1 octets: 01",
		"object_updated":   "* the object 0x00000010/5 of the machine 0x00000020 changed: 2 octets: ab02",
		"object_migrated":  "* the object 0x00000010/5 went from the machine 0x00000010 to the machine 0x00000020: no octets",
		"object_destroyed": "* the object 0x00000010/5 is gone, destroyed by the machine 0x00000010",
		"dropped":          "",
	}
	who := known()
	who.Stream, who.Datagram = eventSocket, eventSocket
	for name, e := range allEvents {
		got := string(Text{}.Append(nil, time.Time{}, e, who))
		require.Contains(t, want, name)
		assert.Equal(t, want[name], strings.TrimSuffix(got, "\n"), name)
	}
	for e, want := range map[dpsp.Event]string{
		dpsp.MemberAdded{Player: 0x77, Group: 0x12}: "* 0x00000077 is in the group Team\n",
		dpsp.PlayerDeleted{ID: 0x77}:                "* (no name) is gone (0x00000077)\n",
	} {
		assert.Equal(t, want, string(Text{}.Append(nil, time.Time{}, e, who)))
	}
	long := dpsp.Message{From: 0x11, Sent: 0x12, Guaranteed: true, Payload: make([]byte, shownPayload+1)}
	assert.Equal(t, "Ann > Team: 33 octets, guaranteed: "+strings.Repeat("00", shownPayload)+"...\n",
		string(Text{}.Append(nil, time.Time{}, long, who)))
}

// TestRoster follows names through changes.
func TestRoster(t *testing.T) {
	r := known()
	r.Learn(dpsp.GroupChanged{ID: 0x12, ShortName: "Band", Renamed: true})
	assert.Equal(t, "Band", r.who(0x12))
	r.Learn(dpsp.GroupDeleted{ID: 0x12})
	assert.Equal(t, "0x00000012", r.who(0x12))
	r.Learn(dpsp.PlayerChanged{ID: 0x11, ShortName: "Eve", Renamed: true})
	assert.Equal(t, "Eve", r.who(0x11))
	r.Learn(dpsp.PlayerDeleted{ID: 0x11})
	assert.Equal(t, "0x00000011", r.who(0x11))
}

// addresses returns those of an event in JSON.
func addresses(e dpsp.Event, who *Roster) []string {
	var o struct{ Addresses []string }
	if err := json.Unmarshal(AppendNDJSON(nil, time.Time{}, e, who), &o); err != nil {
		return []string{err.Error()}
	}
	return o.Addresses
}

// TestHostText: a machine that becomes host says where others can join it.
func TestHostText(t *testing.T) {
	text := func(e dpsp.Event, who *Roster) string {
		return strings.TrimSuffix(string(Text{}.Append(nil, time.Time{}, e, who)), "\n")
	}
	who := NewRoster()
	who.Learn(dpsp.SessionOpened{System: 0x20})
	now := dpsp.HostChanged{Old: 0x10, New: 0x20, Took: 12345678 * time.Nanosecond, Hosting: true}
	who.Stream = eventSocket
	assert.Equal(t, "* we are to be the next host", text(dpsp.MigrationStarted{Candidate: 0x20}, who))
	assert.Equal(t, "* we are the host now, after 12ms without one: others can join us at 192.0.2.1", text(now, who))
	who.Stream = netip.MustParseAddrPort("0.0.0.0:2301")
	assert.Equal(t, "* we are the host now, after 12ms without one: others can join us at this machine's address", text(now, who))
	for i := range byte(6) {
		who.Own = append(who.Own, netip.AddrFrom4([4]byte{192, 0, 2, 11 + i}))
	}
	assert.Equal(t, "* we are the host now, after 12ms without one: others can join us at 192.0.2.11 or 192.0.2.12 or 192.0.2.13 or "+
		"192.0.2.14, and 2 addresses more", text(now, who))
	assert.Len(t, addresses(now, who), 6)
	who.Advertised = netip.MustParseAddr("192.0.2.9")
	now.Took = 0
	assert.Equal(t, "* we are the host now: others can join us at 192.0.2.9", text(now, who))
	assert.Equal(t, []string{"192.0.2.9"}, addresses(now, who))
	who.Code = "A0"
	assert.Equal(t, "* we are the host now: others can join us with the code A0", text(now, who))
	opened := dpsp.SessionOpened{Hosting: true}
	assert.NotContains(t, text(opened, who), "others can join us", "the code was told before")
	who.Beside = true
	assert.Contains(t, text(opened, who), "\n* others can join us at 192.0.2.9, or with the code of the bridge on this machine: A0")
	who.Learn(dpsp.PlayerCreated{ID: 0x31, System: 0x30, Local: true})
	assert.Equal(t, "* the machine 0x00000020 is to be the next host", text(dpsp.MigrationStarted{Candidate: 0x20}, who))
	assert.Equal(t, "* we are to be the next host", text(dpsp.MigrationStarted{Candidate: 0x30}, who),
		"we are another machine for them now")
}

// TestOverBridge: over a bridge all machines are at 127.0.0.1, which says nothing.
func TestOverBridge(t *testing.T) {
	who := NewRoster()
	who.Code = "A0"
	who.Learn(dpsp.PeerJoined{System: 0x10, Addr: netip.MustParseAddrPort("127.0.0.1:2301")})
	assert.Equal(t, "the machine 0x00000010", who.machine(0x10, "ours"))
	who.Learn(dpsp.PlayerCreated{ID: 0x11, System: 0x10, ShortName: "Ann"})
	who.Learn(dpsp.PeerJoined{System: 0x20, Addr: eventSocket})
	who.Learn(dpsp.PlayerCreated{ID: 0x21, System: 0x20, ShortName: "Bob"})
	assert.Equal(t, []string{"Ann's machine is the host now"}, kinds.Lines(dpsp.HostChanged{New: 0x10}, who))
	assert.Equal(t, []string{"Ann's machine is lost: x"}, kinds.Lines(dpsp.PeerLost{System: 0x10, Reason: "x"}, who))
	assert.Equal(t, []string{"Ann (the host)", "Bob (at 192.0.2.1)"}, who.Who(dpsp.SessionOpened{Host: 0x10})[1:])
}

// TestMachineText: machines are called after who plays there and where they are, as far as that is known, also when they are gone.
func TestMachineText(t *testing.T) {
	who := NewRoster()
	called := func(want string) {
		t.Helper()
		assert.Equal(t, want, who.machine(0x10, "ours"))
	}
	called("the machine 0x00000010")
	who.Learn(dpsp.PeerJoined{System: 0x10, Addr: eventSocket})
	called("the machine 192.0.2.1")
	who.Learn(dpsp.PlayerCreated{ID: 0x11, System: 0x10, ShortName: "Ann\x1b"})
	who.Learn(dpsp.PlayerCreated{ID: 0x12, System: 0x10, ShortName: "Bob"})
	called("Ann\uFFFD's machine (192.0.2.1)")
	now := dpsp.HostChanged{New: 0x10}
	assert.Equal(t, []string{"Ann\uFFFD's machine (192.0.2.1) is the host now: join at 192.0.2.1"}, kinds.Lines(now, who))
	assert.Equal(t, []string{"192.0.2.1"}, addresses(now, who))
	who.Learn(dpsp.PlayerChanged{ID: 0x11, ShortName: "Eve", Renamed: true})
	who.Learn(dpsp.PlayerDeleted{ID: 0x12})
	who.Learn(dpsp.PlayerDeleted{ID: 0x11})
	called("Eve's machine (192.0.2.1)")
	who.Learn(dpsp.PlayerCreated{ID: 0x13, System: 0x10, ShortName: "Kim"})
	called("Kim's machine (192.0.2.1)")
	for id := range wire.PlayerID(2 * maxMachines) {
		who.Learn(dpsp.PeerJoined{System: 0x1000 + id, Addr: eventSocket})
	}
	assert.LessOrEqual(t, len(who.machines), maxMachines)
	called("Kim's machine (192.0.2.1)")
}

// TestFind: people say whom they mean by name, in any case, with spaces in it or not, or by id.
func TestFind(t *testing.T) {
	who := NewRoster()
	for id, name := range map[wire.PlayerID]string{0x11: "Ann", 0x12: "Ann B", 0x13: "", 0x14: "Twin", 0x15: "twin", 0x16: "Zoë"} {
		who.Learn(dpsp.PlayerCreated{ID: id, System: 0x10, ShortName: name})
	}
	who.Learn(dpsp.GroupCreated{ID: 0x21, System: 0x10, ShortName: "Team"})
	for text, want := range map[string]struct {
		id   wire.PlayerID
		rest string
	}{"ann hello": {0x11, "hello"}, "Ann B hello": {0x12, "hello"}, "ANN  Bye": {0x11, "Bye"}, "Team": {0x21, ""},
		"0x00000013 you": {0x13, "you"}, "zoë x y": {0x16, "x y"}} {
		id, rest, err := who.Find(text)
		require.NoError(t, err, text)
		assert.Equal(t, want.id, id, text)
		assert.Equal(t, want.rest, rest, text)
	}
	_, _, err := who.Find("Annabel x")
	assert.EqualError(t, err, `nobody is called "Annabel"; /who lists who is there`)
	_, _, err = who.Find("Twin x")
	assert.ErrorContains(t, err, `several are called "Twin": say which by the id, such as 0x0000001`)
}

// TestObjectText: people know which objects are theirs, also where the machine has another id than it came with.
func TestObjectText(t *testing.T) {
	who := NewRoster()
	who.Learn(dpsp.SessionOpened{System: 0x10})
	who.Learn(dpsp.SessionHealed{Host: 0x10, System: 0x20})
	long := make([]byte, shownPayload+1)
	for want, e := range map[string]dpsp.Event{
		"there is an object 0x00000010/5 of ours: no octets": dpsp.ObjectCreated{ObjectCreated: replicated.ObjectCreated{ID: eventRock,
			Owner: 0x20}},
		"the object 0x00000010/5 of ours changed: 33 octets: " + strings.Repeat("00", shownPayload) + "...": dpsp.ObjectUpdated{
			ObjectUpdated: replicated.ObjectUpdated{ID: eventRock, Owner: 0x20, State: long}},
		"the object 0x00000010/5 went from us to the machine 0x00000010: no octets": dpsp.ObjectMigrated{
			ObjectMigrated: replicated.ObjectMigrated{ID: eventRock, From: 0x20, To: 0x10}},
		"the object 0x00000010/5 went from the machine 0x00000010 to us: no octets": dpsp.ObjectMigrated{
			ObjectMigrated: replicated.ObjectMigrated{ID: eventRock, From: 0x10, To: 0x20}},
		"the object 0x00000010/5 stays with us: no octets": dpsp.ObjectMigrated{
			ObjectMigrated: replicated.ObjectMigrated{ID: eventRock, From: 0x20, To: 0x20}},
		"the object 0x00000010/5 is gone, destroyed by us": dpsp.ObjectDestroyed{
			ObjectDestroyed: replicated.ObjectDestroyed{ID: eventRock, Owner: 0x20}},
	} {
		assert.Equal(t, "* "+want+"\n", string(Text{}.Append(nil, time.Time{}, e, who)))
	}
}

// lotr2 returns the GUID of Lords of the Realm II.
func lotr2() wire.GUID {
	g, _ := games.ByName("lotr2")
	return g.GUID
}
