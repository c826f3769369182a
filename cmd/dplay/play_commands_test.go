package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// command gives a program a command and returns its answer. Events before it are passed over.
func (p *program) command(line string) object {
	p.t.Helper()
	p.say(line)
	return p.event("answer")
}

// doneWell gives a program a command that has to be done.
func (p *program) doneWell(line string) object {
	p.t.Helper()
	a := p.command(line)
	require.Equal(p.t, true, a["ok"], "%s: %v", line, a)
	return a
}

// TestCommands has two programs play by commands alone: all of them, with answers in order, and what the other one hears.
func TestCommands(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	h := startHost(t, at, "--commands", "ndjson", "--player", "Ann", "--flags", "keepalive")
	j := start(t, at.join("--commands", "ndjson", "--player", ""))
	j.event("session_opened")
	h.event("peer_joined")
	assert.Equal(t, "no-player", j.command(`{"command":"say","text":"hello"}`)["error"])
	bob := j.doneWell(`{"id":"b","command":"create_player","name":"Bob","data_text":"B"}`)["player"].(string)
	eve := j.doneWell(`{"command":"create_player","name":"Eve","long_name":"Eve E"}`)["player"].(string)
	h.event("player_created", "id", bob, "data", "42")
	h.event("player_created", "id", eve, "long_name", "Eve E")
	ann := h.doneWell(`{"command":"list"}`)["players"].([]any)[0].(map[string]any)
	assert.Equal(t, "Ann", ann["name"])

	j.doneWell(`{"command":"say","text":"one"}`)
	j.doneWell(`{"command":"say","text":"two","from":"` + eve + `","to":"` + ann["id"].(string) + `"}`)
	h.event("chat", "from", bob, "text", "one", "sent", "0x00000000")
	h.event("chat", "from", eve, "text", "two", "sent", ann["id"])
	h.say(`{"command":"send","payload":"beef","to":"` + eve + `","token":7}`)
	h.inAnyOrder(
		func() { h.event("answer", "ok", true) },
		func() { assert.Nil(t, h.event("delivered", "token", 7.0)["reason"]) })
	j.event("message", "to", eve, "payload", "beef", "from_name", "Ann")

	group := h.doneWell(`{"command":"create_group","name":"Team","data":"01"}`)["group"].(string)
	for _, id := range []string{bob, eve} {
		h.doneWell(`{"command":"add_member","player":"` + id + `","group":"` + group + `"}`)
	}
	assert.Equal(t, "already-member", h.command(`{"command":"add_member","player":"` + bob + `","group":"` + group + `"}`)["error"])
	j.event("member_added", "player", eve, "group", group)
	listed := j.doneWell(`{"command":"list"}`)["groups"].([]any)[0].(map[string]any)
	assert.Equal(t, []any{bob, eve}, listed["members"])
	j.doneWell(`{"command":"remove_member","player":"` + bob + `","group":"` + group + `"}`)
	h.event("member_removed", "player", bob)
	inner := h.doneWell(`{"command":"create_group","name":"Inner"}`)["group"].(string)
	h.doneWell(`{"command":"add_shortcut","child":"` + inner + `","parent":"` + group + `"}`)
	j.event("shortcut_added", "child", inner)
	h.doneWell(`{"command":"remove_shortcut","child":"` + inner + `","parent":"` + group + `"}`)
	j.event("shortcut_removed", "child", inner)
	assert.Equal(t, "not-ours", j.command(`{"command":"set_name","group":"` + group + `","name":"Ours"}`)["error"])
	h.doneWell(`{"command":"set_name","group":"` + group + `","name":"Band"}`)
	j.event("group_changed", "id", group, "name", "Band")
	j.doneWell(`{"command":"set_data","player":"` + eve + `","data_base64":"wP/u"}`)
	h.event("player_changed", "id", eve, "data", "c0ffee")
	h.doneWell(`{"command":"delete_group","group":"` + group + `"}`)
	j.event("group_deleted", "id", group)

	j.doneWell(`{"command":"delete_player","player":"` + bob + `"}`)
	h.event("player_deleted", "id", bob)
	j.doneWell(`{"command":"say","text":"who am I?"}`)
	h.event("chat", "from", eve, "text", "who am I?")
	assert.Equal(t, "not-host", j.command(`{"command":"set_session","max_players":9}`)["error"])
	h.doneWell(`{"command":"set_session","session_name":"Keep","password":"sesame","max_players":9}`)
	h.doneWell(`{"command":"set_session","application_defined":[1,2,3,4]}`)
	j.event("session_changed")
	s := j.event("session_changed")["session"].(map[string]any)
	assert.Equal(t, []any{"Keep", 9.0, []any{1.0, 2.0, 3.0, 4.0}}, []any{s["session_name"], s["max_players"], s["application_defined"]})
	startJoin(t, at, "--password", "sesame") // what was left out stayed
	testObjectCommands(t, h, j)
	j.say(`{"id":null,"command":"leave"}`)
	assert.Equal(t, "wrong-type", j.event("answer")["error"])
	j.doneWell(`{"command":"leave"}`)
	j.event("session_closed")
	j.endWell()
	h.event("player_deleted", "id", eve)
	require.NoError(t, h.in.Close())
	h.event("session_closed")
	h.endWell()
}

// testObjectCommands has a joiner make an object, give it to the host, which gives it back, and destroy it.
func testObjectCommands(t *testing.T, h, j *program) {
	t.Helper()
	host, joiner := h.opened["system"].(string), j.doneWell(`{"command":"list"}`)["system"].(string)
	rock := j.doneWell(`{"command":"create_object","state":"ab"}`)["object"].(string)
	h.event("object_created", "object", rock, "owner", joiner)
	j.doneWell(`{"command":"update_object","object":"` + rock + `","state":"cd"}`)
	h.event("object_updated", "object", rock, "state", "cd")
	for _, to := range []string{host, joiner} {
		h.doneWell(`{"command":"migrate_object","object":"` + rock + `","to":"` + to + `"}`)
		j.event("object_migrated", "object", rock, "owner", to)
	}
	assert.Equal(t, "no-such-id", h.command(`{"command":"destroy_object","object":"0x00000001/1"}`)["error"])
	j.doneWell(`{"command":"destroy_object","object":"` + rock + `"}`)
	h.event("object_destroyed", "object", rock)
	h.doneWell(`{"command":"balance_objects"}`)
}

// TestCommandFaults: what makes no sense is answered, with its line and id, and the session goes on.
func TestCommandFaults(t *testing.T) {
	t.Parallel()
	h := startHost(t, newPlace(t), "--commands", "ndjson")
	for i, c := range []struct{ line, code, key string }{
		{`hello`, "not-json", ""},
		{"{\"command\":\"say\",\"text\":\"\xff\"}", "invalid-utf8", ""},
		{`{"command":"shout"}`, "unknown-command", "command"},
		{strings.Repeat("x", 5<<20), "line-too-long", ""},
		{`{"command":"say","text":"a","to":"0x99"}`, "no-such-id", ""},
		{`{"command":"say","text":"a","from":"0x99"}`, "no-such-id", ""},
		{`{"command":"send","payload_text":"` + strings.Repeat("x", 1<<20) + `"}`, "too-large", ""},
		{`{"command":"cancel","token":7}`, "nothing-waits", ""},
	} {
		a := h.command(c.line)
		assert.Equal(t, []any{c.code, float64(i + 1), false}, []any{a["error"], a["line"], a["ok"]}, "%v", a)
		if c.key != "" {
			assert.Equal(t, c.key, a["key"])
		}
		assert.NotEmpty(t, a["text"])
	}
	h.doneWell(`{"command":"say","text":"still here"}`)
	assert.Equal(t, exitOK, h.interrupt(), h.stderr())
	got := once(t, newPlace(t).host("--commands", "ndjson", "--events", "text")...)
	assert.Equal(t, exitUsage, got.status)
	assert.Contains(t, got.err, "--commands ndjson does not go with --events text")
}

// TestCommandsGroup: with --group what is said goes to the group.
func TestCommandsGroup(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	h := startHost(t, at, "--player", "Ann")
	j := start(t, at.join("--commands", "ndjson", "--group", "Team", "--for", "1h"))
	group := h.event("group_created", "name", "Team")["id"]
	k := startJoin(t, at, "--group", "Team", "--player", "Kim")
	j.event("member_added", "player", j.event("player_created", "name", "Kim")["id"], "group", group)
	j.doneWell(`{"command":"say","text":"team only"}`)
	k.event("chat", "text", "team only", "sent", group)
	require.NoError(t, j.in.Close()) // with --for it stays
	k.say("still there?")
	j.event("chat", "text", "still there?")
	assert.Equal(t, exitOK, j.interrupt(), j.stderr())
}

// TestCommandsFlood has a program write as fast as it can, large messages over TCP: all arrive, nobody is lost, whoever is slow. A
// list of players that still waits for a slow joiner is not sent a second time.
func TestCommandsFlood(t *testing.T) {
	t.Parallel()
	for _, flags := range []string{"keepalive", "directplayprotocol,keepalive"} {
		t.Run(flags, func(t *testing.T) {
			t.Parallel()
			at := newPlace(t)
			h := startHost(t, at, "--player", "Ann", "--flags", flags)
			j := start(t, at.join("--commands", "ndjson", "--player", "Bob"))
			h.event("player_created", "name", "Bob")
			const count, size = 40, 300_000 // more than may wait for a peer
			go func() {
				for i := range count {
					fmt.Fprintf(j.in, `{"command":"send","payload":"%02x%s"}`+"\n", i, strings.Repeat("00", size-1))
				}
			}()
			for i := range count {
				m := h.event("message", "size", float64(size))
				assert.Equal(t, fmt.Sprintf("%02x", i), m["payload"].(string)[:2])
			}
			for range count {
				assert.Equal(t, true, j.event("answer")["ok"])
			}
			assert.Equal(t, exitOK, j.interrupt(), j.stderr())
			h.event("player_deleted", "name", "Bob")
			for _, line := range h.output() {
				if !strings.Contains(line, "lists of players were not sent") {
					assert.NotContains(t, line, `"dropped"`)
				}
			}
		})
	}
}
