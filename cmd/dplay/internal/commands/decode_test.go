package commands

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/playerlist"
	"dplay4/wire"
)

// here is where the commands of these tests are given.
var here = Situation{From: 0x11, To: 0x12, Guaranteed: true, Password: "sesame",
	Session: dpsp.SessionOpened{Name: "Castle", Desc: wire.SessionDesc{Flags: wire.SessionKeepAlive | wire.SessionPasswordRequired,
		MaxPlayers: 4, User: [4]uint32{1, 2, 3, 4}}}}

// TestRequests has a line for every command, and what it asks of the engine.
func TestRequests(t *testing.T) {
	flags := wire.SessionKeepAlive | wire.SessionPasswordRequired
	rock := wire.ObjectID{Creator: 0x384c9, Number: 5}
	seen := map[string]bool{"list": true}
	for line, want := range map[string]dpsp.Command{
		`{"command":"say","text":"hi"}`: dpsp.Chat{From: 0x11, To: 0x12, Guaranteed: true, Text: "hi"},
		`{"command":"say","text":"hi","from":"0x15","to":7,"guaranteed":false,"id":1}`: dpsp.Chat{From: 0x15, To: 7, Text: "hi"},
		`{"command":"say","text":"","to":"0x00000000"}`:                                dpsp.Chat{From: 0x11, Guaranteed: true},
		`{"command":"send","payload":"C0ffee","token":9007199254740991,"priority":65535,"timeout":1.5}`: dpsp.Send{From: 0x11, To: 0x12,
			Guaranteed: true, Payload: []byte{0xC0, 0xFF, 0xEE}, Notify: 1<<53 - 1, Priority: 65535, Timeout: 1500 * time.Millisecond},
		`{"command":"send","payload_text":"\u00fc"}`:              dpsp.Send{From: 0x11, To: 0x12, Guaranteed: true, Payload: []byte("ü")},
		`{"command":"send","payload_base64":"wP/u"}`:              dpsp.Send{From: 0x11, To: 0x12, Guaranteed: true, Payload: []byte{0xC0, 0xFF, 0xEE}},
		`{"command":"cancel","token":7}`:                          dpsp.Cancel{Notify: 7},
		`{"command":"cancel","priority":0}`:                       dpsp.Cancel{},
		`{"command":"create_player","name":"Bo","data_text":"x"}`: dpsp.CreatePlayer{ShortName: "Bo", Data: []byte("x")},
		`{"command":"create_player","name":"B","long_name":"Bo","player_flags":["SPECTATOR"]}`: dpsp.CreatePlayer{ShortName: "B",
			LongName: "Bo", Flags: wire.PlayerSpectator},
		`{"command":"delete_player","player":"0x11"}`: dpsp.DeletePlayer{ID: 0x11},
		`{"command":"create_group","name":"G","parent":"0x12","data":"01","group_flags":["hiddengroup","stagingarea"]}`: dpsp.CreateGroup{
			ShortName: "G", Parent: 0x12, Data: []byte{1}, Flags: wire.PlayerHiddenGroup | wire.PlayerStagingArea},
		`{"command":"delete_group","group":"0x12"}`:                        dpsp.DeleteGroup{ID: 0x12},
		`{"command":"add_member","player":"0x11","group":"0x12"}`:          dpsp.AddToGroup{Player: 0x11, Group: 0x12},
		`{"command":"remove_member","player":"0x11","group":"0x12"}`:       dpsp.RemoveFromGroup{Player: 0x11, Group: 0x12},
		`{"command":"add_shortcut","child":"0x13","parent":"0x12"}`:        dpsp.AddShortcut{Child: 0x13, Parent: 0x12},
		`{"command":"remove_shortcut","child":"0x13","parent":"0x12"}`:     dpsp.RemoveShortcut{Child: 0x13, Parent: 0x12},
		`{"command":"set_name","player":"0x11","name":"Al"}`:               dpsp.SetName{ID: 0x11, ShortName: "Al"},
		`{"command":"set_name","group":"0x12","name":"A","long_name":"B"}`: dpsp.SetName{ID: 0x12, ShortName: "A", LongName: "B"},
		`{"command":"set_data","group":"0x12","data_base64":"AQ=="}`:       dpsp.SetData{ID: 0x12, Data: []byte{1}},
		`{"command":"set_session"}`: dpsp.SetDesc{Name: "Castle", Password: "sesame", MaxPlayers: 4, Flags: flags,
			User: [4]uint32{1, 2, 3, 4}},
		`{"command":"set_session","session_name":"C","password":"","max_players":0,"session_flags":["KeepAlive"],"application_defined":[5,6,7,8]}`: dpsp.SetDesc{
			Name: "C", Flags: wire.SessionKeepAlive, User: [4]uint32{5, 6, 7, 8}},
		`{"command":"create_object","state":""}`:                               dpsp.CreateObject{State: []byte{}},
		`{"command":"update_object","object":"0x000384c9/5","state_text":"a"}`: dpsp.UpdateObject{ID: rock, State: []byte("a")},
		`{"command":"migrate_object","object":"0x000384c9/5","to":"0x11"}`:     dpsp.MigrateObject{ID: rock, To: 0x11},
		`{"command":"destroy_object","object":"0x000384c9/5"}`:                 dpsp.DestroyObject{ID: rock},
		`{"command":"balance_objects"}`:                                        dpsp.BalanceObjects{},
		`{"command":"leave","id":"x"}`:                                         dpsp.Leave{},
	} {
		c, wrong := Decode([]byte(line))
		require.Nil(t, wrong, line)
		got, wrong := c.Request(&here)
		assert.Nil(t, wrong)
		assert.Equal(t, want, got, line)
		seen[c.Name] = true
	}
	for _, name := range names() {
		assert.True(t, seen[name], "no line tries %s", name)
	}
}

// TestFaults has lines that make no sense, and what is answered.
func TestFaults(t *testing.T) {
	for line, want := range map[string]Fault{
		`hello`:                 {NotJSON, "", "is no JSON: invalid character"},
		`[1]`:                   {NotJSON, "", "a command is a JSON object, such as"},
		`{"command":"list"`:     {NotJSON, "", "it ends too early"},
		`{"command":"list",}`:   {NotJSON, "", "is no JSON"},
		`{"command":"list"} {}`: {NotJSON, "", "one command a line"},
		"{\"command\":\"say\",\"text\":\"\xff\"}": {InvalidUTF8, "", "octet 26 is not UTF-8"},
		`{}`:                {MissingKey, "command", "one of say, send,"},
		`{"command":7}`:     {WrongType, "command", "must be text"},
		`{"command":"lst"}`: {UnknownCommand, "command", `did you mean "list"?`},
		`{"command":"say","text":"a","text":"b"}`:                         {RepeatedKey, "text", "allowed once"},
		`{"command":"say","txt":"a"}`:                                     {UnknownKey, "txt", "allowed are command, id, text, from, to, guaranteed"},
		`{"command":"say"}`:                                               {MissingKey, "text", `"say" needs "text"`},
		`{"command":"say","text":null}`:                                   {WrongType, "text", `"text" must be text`},
		`{"command":"say","text":"a","guaranteed":1}`:                     {WrongType, "guaranteed", "must be true or false"},
		`{"command":"say","text":"a","to":"Ann"}`:                         {BadValue, "to", `an id such as "0x000384c9"`},
		`{"command":"say","text":"a","to":4294967296}`:                    {BadValue, "to", "an id"},
		`{"command":"say","text":"a","to":-1}`:                            {BadValue, "to", "an id"},
		`{"command":"say","text":"a","id":{}}`:                            {WrongType, "id", "a string or number"},
		`{"command":"list","id":"` + strings.Repeat("x", maxID) + `"}`:    {BadValue, "id", "at most 256 octets"},
		`{"command":"send"}`:                                              {MissingKey, "payload", "needs one of payload, payload_text, payload_base64"},
		`{"command":"send","payload":"c0f"}`:                              {BadValue, "payload", "hexadecimal"},
		`{"command":"send","payload_base64":"wP/"}`:                       {BadValue, "payload_base64", "base64"},
		`{"command":"send","payload":"","payload_text":""}`:               {TooManyKeys, "payload_text", "do not go together"},
		`{"command":"send","payload":"","token":0}`:                       {BadValue, "token", "from 1 to"},
		`{"command":"send","payload":"","token":1.5}`:                     {BadValue, "token", "a whole number"},
		`{"command":"send","payload":"","priority":65536}`:                {BadValue, "priority", "from 0 to 65535"},
		`{"command":"send","payload":"","timeout":0}`:                     {BadValue, "timeout", "more than 0"},
		`{"command":"send","payload":"","timeout":1e999}`:                 {BadValue, "timeout", "more than 0"},
		`{"command":"create_player","name":"A","player_flags":["x"]}`:     {BadValue, "player_flags", "serverplayer, spectator"},
		`{"command":"create_player","name":"A","player_flags":"x"}`:       {WrongType, "player_flags", "a list of"},
		`{"command":"create_player","name":"A","data":"","data_text":""}`: {TooManyKeys, "data_text", "do not go together"},
		`{"command":"set_session","application_defined":[1,2,3]}`:         {BadValue, "application_defined", "four"},
		`{"command":"destroy_object","object":"5"}`:                       {BadValue, "object", "0x000384c9/5"},
	} {
		_, wrong := Decode([]byte(line))
		require.NotNil(t, wrong, line)
		assert.Equal(t, want.Code, wrong.Code, line)
		assert.Equal(t, want.Key, wrong.Key, line)
		assert.Contains(t, wrong.Text, want.Text, line)
	}
	c, wrong := Decode([]byte(`{"id":7,"command":"say","text":"a",}`))
	require.NotNil(t, wrong)
	a := c.Answer(3, wrong)
	assert.JSONEq(t, "7", string(a.ID), "what could be read is in the answer")
	assert.Equal(t, "say", a.Command)
}

// TestSituations: what a command needs that there is not.
func TestSituations(t *testing.T) {
	for code, where := range map[Code]Situation{NoPlayer: {}, NoGroup: {From: 1, NoGroup: "Team"}} {
		c, wrong := Decode([]byte(`{"command":"say","text":"a"}`))
		require.Nil(t, wrong)
		_, wrong = c.Request(&where)
		require.NotNil(t, wrong)
		assert.Equal(t, code, wrong.Code)
	}
	c, wrong := Decode([]byte(`{"command":"set_session","max_players":1}`))
	require.Nil(t, wrong)
	other := here
	other.Unknown = true
	_, wrong = c.Request(&other)
	require.NotNil(t, wrong)
	assert.Equal(t, UnknownPassword, wrong.Code)
}

// A mock is a session that does nothing.
type mock struct {
	err     error
	pressed int // so often it says that it is better to wait
}

func (m *mock) Do(context.Context, dpsp.Command) (wire.PlayerID, error) { return 0x21, m.err }
func (m *mock) CreateObject(context.Context, []byte) (wire.ObjectID, error) {
	return wire.ObjectID{Creator: 0x10, Number: 5}, m.err
}
func (m *mock) Pressed() bool {
	m.pressed--
	return m.pressed >= 0
}

// TestAnswers checks what is answered to what was done, and to what could not be.
func TestAnswers(t *testing.T) {
	do := func(line string, s *mock) string {
		c, wrong := Decode([]byte(line))
		require.Nil(t, wrong)
		request, wrong := c.Request(&here)
		require.Nil(t, wrong)
		a := c.Do(t.Context(), s, request)
		a.Line = 3
		return string(a.Append(nil, time.Unix(0, 0)))
	}
	const begin = `{"time":"1970-01-01T00:00:00.000000000Z","event":"answer",`
	assert.Equal(t, begin+`"id":"a\u00fc","line":3,"command":"create_player","ok":true,"player":"0x00000021"}`+"\n",
		do(`{"id":"a\u00fc","command":"create_player","name":"Bo"}`, &mock{}))
	assert.Equal(t, begin+`"line":3,"command":"create_group","ok":true,"group":"0x00000021"}`+"\n", do(`{"command":"create_group","name":"Bo"}`, &mock{}))
	assert.Equal(t, begin+`"line":3,"command":"create_object","ok":true,"object":"0x00000010/5"}`+"\n", do(`{"command":"create_object","state":""}`, &mock{}))
	for err, code := range map[error]Code{wire.ErrAccessDenied: Refused, dpsp.ErrNotOurs: "not-ours", playerlist.ErrMember: "already-member",
		errors.New("odd"): Failed, context.Canceled: "no-session"} {
		var a Answer
		require.NoError(t, json.Unmarshal([]byte(do(`{"command":"say","text":"a"}`, &mock{err: err})), &a))
		assert.Equal(t, code, a.Error)
		assert.Equal(t, err.Error(), a.Text)
		assert.False(t, a.OK)
	}
}

// TestHeldBack: what is said waits as long as too much waits before it, but not beyond the end.
func TestHeldBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := Decode([]byte(`{"command":"say","text":"a"}`))
		request, _ := c.Request(&here)
		begin := time.Now()
		assert.True(t, c.Do(t.Context(), &mock{pressed: 10}, request).OK)
		assert.GreaterOrEqual(t, time.Since(begin), 8*look)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		assert.Equal(t, Code("no-session"), c.Do(ctx, &mock{pressed: 1 << 40}, request).Error)
	})
}

// TestLines: lines are numbered, empty ones left out, endless ones too but said, and nothing is read ahead of who takes them. A mark
// of octet order is no part of the first one.
func TestLines(t *testing.T) {
	in := "\uFEFFone\r\n\n \t\n two\n" + strings.Repeat("x", maxLine) + "y\nthree"
	l := Read(strings.NewReader(in))
	var got []Line
	for line := range l.All {
		got = append(got, line)
	}
	assert.Equal(t, []Line{{1, []byte("one"), false}, {4, []byte("two"), false}, {5, nil, true}, {6, []byte("three"), false}}, got)
	assert.NoError(t, l.Err)
	l = Read(io.MultiReader(strings.NewReader("one\n"), iotest.ErrReader(io.ErrUnexpectedEOF)))
	<-l.All
	_, more := <-l.All
	assert.False(t, more)
	assert.ErrorIs(t, l.Err, io.ErrUnexpectedEOF)
	l.Stop()
}

// FuzzDecode: any line is understood or answered with a fault that has a code and a text, and what is answered is JSON.
func FuzzDecode(f *testing.F) {
	for i := range table {
		f.Add([]byte(`{"id":1,"command":"` + table[i].name + `","text":"a","payload":"00","name":"b","player":"0x11","group":7,"object":"0x1/2"}`))
	}
	f.Add([]byte(`{"command":"say","text":"\ud800"}`))
	f.Add([]byte(`{"command":"send","payload_base64":"wP/u","timeout":1e-9}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		c, wrong := Decode(line)
		if wrong == nil {
			_, wrong = c.Request(&here)
		}
		if wrong != nil && (wrong.Code == "" || wrong.Text == "") {
			t.Errorf("a fault without a word: %+v", wrong)
		}
		if a := c.Answer(1, wrong).Append(nil, time.Unix(0, 0)); !json.Valid(a) || strings.Count(string(a), "\n") != 1 {
			t.Errorf("%q", a)
		}
	})
}
