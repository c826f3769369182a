package sim

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/dpsp"
	"dplay4/wire"
)

// What a program was told before each case begins: it came into a session with one other machine. And a message.
var (
	toldOpened = dpsp.SessionOpened{Desc: wire.SessionDesc{Instance: wire.GUID{1}}, System: 9, Host: 2}
	toldIn     = []dpsp.Event{
		dpsp.PeerJoined{System: 2}, dpsp.PlayerCreated{ID: 20, System: 2, ShortName: "host"}, dpsp.GroupCreated{ID: 30, System: 2},
		dpsp.GroupCreated{ID: 31, System: 2}, toldOpened, dpsp.PlayerCreated{ID: 10, System: 9, ShortName: "me", Local: true},
	}
	message = dpsp.Message{From: 20, To: 10}
)

// A toldCase is a history that goes on from there. Its last event must be complained about with these words.
type toldCase struct {
	events []dpsp.Event
	want   string
}

var toldCases = map[string]toldCase{
	"player twice":          {[]dpsp.Event{dpsp.PlayerCreated{ID: 20, System: 2}}, "in use"},
	"player with a group":   {[]dpsp.Event{dpsp.PlayerCreated{ID: 30, System: 2}}, "in use"},
	"no such player":        {[]dpsp.Event{dpsp.PlayerDeleted{ID: 21}}, "no player"},
	"deleted twice":         {[]dpsp.Event{dpsp.PlayerDeleted{ID: 20}, dpsp.PlayerDeleted{ID: 20}}, "no player"},
	"id used again":         {[]dpsp.Event{dpsp.PlayerDeleted{ID: 20}, dpsp.PlayerCreated{ID: 20, System: 2, ShortName: "new"}}, ""},
	"unknown renamed":       {[]dpsp.Event{dpsp.PlayerChanged{ID: 21}}, "no player"},
	"group twice":           {[]dpsp.Event{dpsp.GroupCreated{ID: 30, System: 2}}, "in use"},
	"no such group":         {[]dpsp.Event{dpsp.GroupDeleted{ID: 32}}, "or group has"},
	"unknown group renamed": {[]dpsp.Event{dpsp.GroupChanged{ID: 32}}, "or group has"},
	"into no group":         {[]dpsp.Event{dpsp.MemberAdded{Player: 20, Group: 32}}, "or group has"},
	"nobody into a group":   {[]dpsp.Event{dpsp.MemberAdded{Player: 21, Group: 30}}, "no player"},
	"member twice": {[]dpsp.Event{dpsp.MemberAdded{Player: 20, Group: 30}, dpsp.MemberAdded{Player: 20, Group: 30}},
		"already"},
	"no member": {[]dpsp.Event{dpsp.MemberRemoved{Player: 20, Group: 30}}, "not in the group"},
	"deleted member": {[]dpsp.Event{dpsp.MemberAdded{Player: 20, Group: 30}, dpsp.PlayerDeleted{ID: 20},
		dpsp.MemberRemoved{Player: 20, Group: 30}}, "no player"},
	"out of no group": {[]dpsp.Event{dpsp.MemberRemoved{Player: 20, Group: 32}}, "or group has"},
	"shortcut twice": {[]dpsp.Event{dpsp.ShortcutAdded{Child: 31, Parent: 30}, dpsp.ShortcutAdded{Child: 31, Parent: 30}},
		"already"},
	"no shortcut":           {[]dpsp.Event{dpsp.ShortcutRemoved{Child: 31, Parent: 30}}, "not in the group"},
	"wrong old host":        {[]dpsp.Event{dpsp.HostChanged{Old: 3, New: 9}}, "the host was"},
	"same host":             {[]dpsp.Event{dpsp.HostChanged{Old: 2, New: 2}}, "already"},
	"unknown host":          {[]dpsp.Event{dpsp.HostChanged{Old: 2, New: 5}}, "no machine"},
	"we are host":           {[]dpsp.Event{dpsp.HostChanged{Old: 2, New: 9, Hosting: true}}, ""},
	"we are host, or not":   {[]dpsp.Event{dpsp.HostChanged{Old: 2, New: 9}}, "told that it is not"},
	"unknown lost":          {[]dpsp.Event{dpsp.PeerLost{System: 5}}, "no machine"},
	"renewed with nobody":   {[]dpsp.Event{dpsp.ConnectionRenewed{System: 5}}, "no machine"},
	"lost twice":            {[]dpsp.Event{dpsp.PeerLost{System: 2}, dpsp.PeerLost{System: 2}}, "no machine"},
	"message from nobody":   {[]dpsp.Event{dpsp.Message{From: 21, To: 10}}, "is no player"},
	"message from a system": {[]dpsp.Event{dpsp.Message{From: 2, To: 10}}, "is no player"},
	"message for another":   {[]dpsp.Event{dpsp.Message{From: 20, To: 20}}, "no player of ours"},
	"chat for another":      {[]dpsp.Event{dpsp.ChatMessage{From: 20, To: 11}}, "no player of ours"},
	"message":               {[]dpsp.Event{message, message}, ""},
	"opened twice":          {[]dpsp.Event{toldOpened}, "in a session already"},
	"another instance":      {[]dpsp.Event{dpsp.SessionChanged{}}, "instance"},
	"after the end":         {[]dpsp.Event{dpsp.SessionLost{}, dpsp.PlayerDeleted{ID: 20}}, "no session"},
	"message after the end": {[]dpsp.Event{dpsp.SessionClosed{}, message}, "no session"},
	"lost twice over":       {[]dpsp.Event{dpsp.SessionLost{}, dpsp.SessionLost{}}, "no session"},
}

// check tells a program the history. All but the last event must pass.
func (c *toldCase) check(t *testing.T) {
	var told told
	told.reset()
	told.joining = true
	all := append(append([]dpsp.Event(nil), toldIn...), c.events...)
	for i, ev := range all {
		got := told.hear(ev)
		if i < len(all)-1 {
			assert.Empty(t, got, "%d: %T", i, ev)
		} else if c.want == "" {
			assert.Empty(t, got)
		} else {
			assert.Contains(t, got, c.want)
		}
	}
}

// TestTold tells a program one event too many, too few, or a wrong one.
func TestTold(t *testing.T) {
	for name, c := range toldCases {
		t.Run(name, func(t *testing.T) { c.check(t) })
	}
}

// TestRisen has a deleted player come again: its owner may bring it back, nobody else may.
func TestRisen(t *testing.T) {
	w, p := bare(t, 3)
	again := []dpsp.Event{dpsp.PlayerDeleted{ID: 201, Name: "p"}, dpsp.PlayerCreated{ID: 201, System: 101, ShortName: "p"}}
	for _, ev := range again {
		w.truth.before(p[2], ev)
		assert.Empty(t, p[2].told.hear(ev))
		w.truth.after(p[2], ev)
	}
	assert.Empty(t, w.broken())
	w.end(p[1].l, crash)
	for _, ev := range again {
		assert.Empty(t, p[2].told.hear(ev))
		w.truth.after(p[2], ev)
	}
	assert.Equal(t, []string{"told"}, w.broken())
}

// TestOpened opens sessions that contradict themselves.
func TestOpened(t *testing.T) {
	for want, ev := range map[string]dpsp.SessionOpened{
		"did not join": {System: 9, Host: 2},
		"contrary":     {System: 9, Host: 9},
	} {
		var told told
		told.reset()
		assert.Contains(t, told.hear(ev), want)
	}
	var told told
	told.reset()
	assert.Empty(t, told.hear(dpsp.SessionOpened{System: 9, Host: 9, Hosting: true}))
}

// TestAgainst compares what was told with the list of an engine that is in a session.
func TestAgainst(t *testing.T) {
	w, p := bare(t, 2)
	p[0].engine.Step(0, dpsp.Input{Kind: dpsp.Request, Command: dpsp.Host{Application: Game}})
	w.checkList(p[0])
	assert.Equal(t, []string{"told"}, w.broken(), "two players, and the engine has none")
}
