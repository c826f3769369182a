package bridging

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/netip"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/dpsp/bridge"
	"dplay4/dpsp/bridge/filter"
	"dplay4/dpsp/bridge/link"
	"dplay4/dpsp/bridge/local"
	"dplay4/internal/testkit"
)

// everything is an event of each kind.
var everything = []bridge.Event{
	bridge.Opened{Code: "ABCD-EFGH", Self: bridge.Member{Name: "Ann", Self: true, Keeper: true}},
	bridge.RelayFound{Relay: "203.0.113.5", Transport: "udp"},
	bridge.RelayFound{Relay: "203.0.113.6", Transport: "tls"},
	bridge.RelayFound{Relay: "203.0.113.7", Transport: "udp", Again: true},
	bridge.Asked{ID: link.ID{1}, Name: "B\x1bob"},
	bridge.Asked{ID: link.ID{2}},
	bridge.Unasked{ID: link.ID{2}, Reason: "it does not wait any more"},
	bridge.Joined{Member: bridge.Member{ID: link.ID{1}, Slot: 1, Name: "Bob", Linked: true, Way: link.Way{RTT: 23 * time.Millisecond, Over: "203.0.113.5 UDP"}}},
	bridge.WayChanged{Member: bridge.Member{ID: link.ID{1}, Slot: 1, Name: "Bob", Linked: true, Way: link.Way{Direct: true, RTT: 4 * time.Millisecond, Loss: 0.02}}},
	bridge.WayChanged{Member: bridge.Member{ID: link.ID{1}, Slot: 1, Name: "Bob"}},
	bridge.Left{Member: bridge.Member{ID: link.ID{1}, Slot: 1}, Reason: "it left"},
	bridge.Joined{Member: bridge.Member{ID: link.ID{3}, Slot: 3}},
	bridge.WayChanged{Member: bridge.Member{ID: link.ID{3}, Slot: 3, Name: "Cid", Linked: true, Way: link.Way{RTT: 5 * time.Millisecond}}, First: true},
	bridge.KeeperChanged{Member: bridge.Member{Name: "Ann", Self: true}},
	bridge.KeeperChanged{Member: bridge.Member{Name: "Ann", Self: true}, Ask: true},
	bridge.KeeperChanged{Member: bridge.Member{Name: "vm", Slot: 4, Twin: true}, Ask: true},
	bridge.GameHosts{Member: bridge.Member{Name: "Bob", Hosts: true}},
	bridge.GameHosts{Member: bridge.Member{Slot: 4}},
	bridge.CodeChanged{Code: "IJKL"},
	bridge.SlotChanged{Self: bridge.Member{Slot: 3, Self: true, Ports: filter.Ports{TCP: 2313, UDP: 2363}}},
	bridge.RelayLost{Relay: "203.0.113.5", Reason: "timeout", Found: true},
	bridge.RelayLost{Relay: "203.0.113.5", Reason: "timeout", Found: true, Others: 1},
	bridge.RelayLost{Relay: "203.0.113.5", Reason: "timeout", Found: true, Others: 2},
	bridge.RelayLost{Relay: "203.0.113.5", Reason: "timeout", Others: 2},
	bridge.Local{Event: local.Waiting{For: "47624 is held by dplaysvr.exe (process 4711): close the game that hosts"}},
	bridge.Local{Event: local.Waiting{}},
	bridge.Local{Event: local.Searching{}},
	bridge.Local{Event: local.Hosting{On: true, By: "game.exe (process 12)"}},
	bridge.Local{Event: local.Playing{On: true}},
	bridge.Local{Event: local.Translating{Game: filter.Ports{TCP: 2303, UDP: 2353}, Plan: filter.Ports{TCP: 2301, UDP: 2351}}},
	bridge.HostElsewhere{On: true, Member: bridge.Member{ID: link.ID{1}, Slot: 1, Name: "Bob"}},
	bridge.HostElsewhere{},
	bridge.Local{Event: local.Cut{Slot: 1, Err: errors.New("no sense")}},
	bridge.Local{Event: local.Dropped{Slot: 1, Err: errors.New("no sense"), Count: 7}},
	bridge.Local{Event: local.Taken{Slot: 1, At: netip.MustParseAddrPort("192.0.2.9:2302"), For: 2}},
	bridge.Local{Event: local.Taken{Slot: 1, At: netip.MustParseAddrPort("192.0.2.9:2304"), For: -1}},
}

// shownBy runs a session to its end, with an input, and returns what is printed.
func shownBy(t *testing.T, o Options, s *made, in io.Reader, events ...bridge.Event) string {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	var out, errs bytes.Buffer
	o.Std = cli.Streams{In: in, Out: &out, Err: &errs}
	for _, e := range events {
		s.events <- e
	}
	ctx := testkit.Context(t)
	require.NoError(t, o.Run(ctx, s))
	assert.NoError(t, ctx.Err())
	assert.Empty(t, errs.String())
	return out.String()
}

// TestLines has an event of each kind told to people.
func TestLines(t *testing.T) {
	in, typed := io.Pipe() // somebody sits there
	defer typed.Close()
	got := shownBy(t, Options{Shared: true}, newMade(), in, append(everything, bridge.Ended{})...)
	assert.Equal(t, `Tell this code to those who are to join:

    ABCD-EFGH

They type dplay bridge join and the code. Now start the game here and host. Ctrl-C ends the session for nobody but you.
the relay 203.0.113.6 is used by TLS: UDP is blocked on the way there, or its UDP port is another one
the relay 203.0.113.7 answers now, by UDP
B`+"\uFFFD"+`ob wants to join: yes or no?
a machine without a name wants to join: yes or no?
a machine without a name: it does not wait any more
Bob is here, relayed 23 ms (203.0.113.5 UDP)
Bob: direct 4.0 ms 2 % lost
Bob: no way at the moment
machine 1 is gone: it left
machine 3 is in the session, but cannot be reached from here
Cid is here, relayed 5.0 ms
the code is another one now, for newcomers: IJKL
another machine has our place: ours is TCP 2313 and UDP 2363 now. Start the game again
the relay 203.0.113.5 is lost: timeout; what goes directly goes on, and nobody can join
the relay 203.0.113.5 is lost: timeout; the other one goes on
the relay 203.0.113.5 is lost: timeout; the other ones go on
the relay 203.0.113.5 cannot be used: timeout
waiting: 47624 is held by dplaysvr.exe (process 4711): close the game that hosts
the game looks for sessions
a game hosts here: game.exe (process 12)
the game is on TCP 2303 and UDP 2353: what it says is translated to 2301 and 2351
a connection of machine 1 was cut: no sense
messages of machine 1 were kept from the game: 7: no sense
the game of machine 1 names 192.0.2.9:2302, which is taken for machine 2
the game of machine 1 names 192.0.2.9:2304, where no machine of this session is: a bridge has to run there, too
You left the session, and nobody else is in it.
`, got)
}

// TestLinesBeside: who plays and who only has a bridge there are not told by the same words.
func TestLinesBeside(t *testing.T) {
	ann := bridge.Member{Name: "Ann", Linked: true, Way: link.Way{Direct: true}}
	for want, e := range map[string]bridge.Event{
		"Ann's machine is here, direct":                  bridge.Joined{Member: ann},
		"Ann's machine is gone: it left":                 bridge.Left{Member: ann, Reason: "it left"},
		"Ann's machine: direct":                          bridge.WayChanged{Member: ann},
		"machine 2: no way at the moment":                bridge.WayChanged{Member: bridge.Member{Slot: 2}},
		"Ann lets newcomers in now":                      bridge.KeeperChanged{Member: ann, Ask: true},
		"vm (2)'s machine is here, no way at the moment": bridge.Joined{Member: bridge.Member{Name: "vm", Slot: 2, Twin: true}},
	} {
		assert.Equal(t, []string{want}, LinesBeside(e))
	}
}

// TestObjects has an event of each kind told to programs, under a name that EVENTS.md has.
func TestObjects(t *testing.T) {
	got := shownBy(t, Options{NDJSON: true}, newMade(), strings.NewReader(""), append(everything, bridge.Ended{Reason: ""})...)
	lines := strings.Split(strings.TrimSpace(got), "\n")
	require.Len(t, lines, len(everything)+1)
	for i, want := range []string{
		`"event":"bridge_opened","code":"ABCD-EFGH","machine":{"id":"00000000000000000000000000000000","slot":0,"name":"Ann","self":true,"keeper":true}}`,
		`"event":"relay_found","relay":"203.0.113.5","transport":"udp"}`, `"relay":"203.0.113.6"`, `"relay":"203.0.113.7"`,
		`"event":"machine_asks","machine":{"id":"01000000000000000000000000000000","name":"B�ob","self":false,"keeper":false}}`,
		`"event":"machine_asks","machine":{"id":"02000000000000000000000000000000","name":"","self":false,"keeper":false}}`,
		`"event":"machine_asks_no_more","machine":{"id":"02000000000000000000000000000000","name":"","self":false,"keeper":false},` +
			`"reason":"it does not wait any more"}`,
		`"event":"machine_joined","machine":{"id":"01000000000000000000000000000000","slot":1,"name":"Bob","self":false,"keeper":false,` +
			`"way":"relayed","over":"203.0.113.5 UDP","round_trip":0.023,"loss":0}}`,
		`"event":"machine_way"`, `"way":"none"}`, `"event":"machine_left"`,
		`"event":"machine_joined","machine":{"id":"03000000000000000000000000000000","slot":3,"name":"machine 3",` +
			`"self":false,"keeper":false,"way":"none"}}`, `"event":"machine_way"`, `"event":"keeper_changed"`, `"ask":true}`,
		`"name":"vm","twin":true,"self":false`, `"event":"machine_hosts","machine":{"id":"00000000000000000000000000000000","slot":0,"name":"Bob",` +
			`"self":false,"keeper":false,"hosts":true,"way":"none"},"on":true}`, `"on":false}`, `"event":"bridge_code","code":"IJKL"}`,
		`"event":"slot_changed"`, `"event":"relay_lost","relay":"203.0.113.5","found":true,"others":0,"reason":"timeout"}`,
		`"others":1`, `"others":2`, `"found":false,"others":2`,
		`"event":"waiting","for":"47624 is held by dplaysvr.exe (process 4711): close the game that hosts"}`, `"event":"waiting","for":""}`,
		`"event":"game_searching"}`, `"event":"game_hosting","on":true,"program":"game.exe (process 12)"}`, `"event":"game_playing","on":true}`,
		`"event":"game_translated","game":{"tcp":2303,"udp":2353},"plan":{"tcp":2301,"udp":2351}}`,
		`"event":"host_elsewhere","machine":{"id":"01000000000000000000000000000000","slot":1,"name":"Bob"`, `"event":"host_elsewhere","on":false}`,
		`"event":"stream_cut","slot":1,"reason":"no sense"}`, `"event":"messages_dropped","slot":1,"count":7,"reason":"no sense"}`,
		`"event":"address_taken","slot":1,"addr":"192.0.2.9:2302","as":2}`, `"event":"address_taken","slot":1,"addr":"192.0.2.9:2304"}`,
		`"event":"bridge_closed","reason":""}`,
	} {
		assert.Contains(t, lines[i], want)
	}
}

// TestObjectsDocumented holds the keys of the events against EVENTS.md.
func TestObjectsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../EVENTS.md")
	require.NoError(t, err)
	_, table, found := strings.Cut(string(text), "| `bridge_waiting` |")
	require.True(t, found)
	table, _, _ = strings.Cut(table, "\n\n")
	got := map[string]map[string]bool{}
	all := slices.Clone(everything)
	for _, r := range kinds {
		e := reflect.Zero(r.Of).Interface()
		if here, is := e.(local.Event); is {
			e = bridge.Local{Event: here}
		}
		all = append(all, e.(bridge.Event))
	}
	for _, e := range all {
		keys := map[string]any{}
		require.NoError(t, json.Unmarshal(AppendJSON(nil, time.Time{}, e), &keys))
		delete(keys, "time")
		delete(keys, "event")
		if got[NameOf(e)] == nil {
			got[NameOf(e)] = map[string]bool{}
		}
		for k := range keys {
			got[NameOf(e)][k] = true
		}
	}
	for _, row := range strings.Split(table, "\n| ")[2:] { // bridge_waiting and bridge_failed are no events of the bridge
		cells := strings.Split(row, "|")
		keys := strings.FieldsFunc(cells[1], func(r rune) bool { return strings.ContainsRune(" ,`", r) })
		name := strings.Trim(cells[0], " `")
		assert.ElementsMatch(t, keys, slices.Collect(maps.Keys(got[name])), name)
		delete(got, name)
	}
	assert.Empty(t, got, "not documented")
}

// TestKinds holds the table against the types of events.
func TestKinds(t *testing.T) {
	names := Names()
	assert.Equal(t, slices.Compact(slices.Clone(names)), names)
	types := 0
	for _, file := range []string{"events.go", "local/event.go"} {
		code, err := os.ReadFile("../../../../dpsp/bridge/" + file)
		require.NoError(t, err)
		types += bytes.Count(code, []byte(") event() "))
	}
	assert.Len(t, kinds, types-2, "all but Local, and Elsewhere, which becomes HostElsewhere")
}

// TestTyped has what can be typed where there is no table.
func TestTyped(t *testing.T) {
	s := newMade("Ann", "Bob", "Cid")
	s.members[1].Hosts = true
	got := shownBy(t, Options{}, s, strings.NewReader("who\nkick bob\nkick nobody\nkick ann\nkick 2\nhost\nwho\njoin\nyes\ncode\ncut cid\nhelp\nquit\n"))
	assert.Equal(t, `#  MACHINE    GAME   WAY      ROUND TRIP  LOSS  OVER
0  Ann (you)         -        -           -     192.0.2.7:4433
1  Bob        hosts  direct   12 ms       2 %   192.0.2.7:4433
2  Cid               relayed  24 ms       4 %   192.0.2.7:4433
Bob's game hosts: look for sessions in the game; where it asks for an address, that is 127.0.0.1.
You let newcomers in, and can send machines away.
there is no "nobody" in the session
that is this machine: Ctrl-C leaves
Bob's game hosts. A game here may host as well, and does not find the others' sessions: "join" takes that back.
#  MACHINE    GAME   WAY      ROUND TRIP  LOSS  OVER
0  Ann (you)         -        -           -     192.0.2.7:4433
1  Bob        hosts  direct   12 ms       2 %   192.0.2.7:4433
2  Cid               relayed  24 ms       4 %   192.0.2.7:4433
Bob's game hosts. A game here may host as well, and does not find the others' sessions: "join" takes that back.
You let newcomers in, and can send machines away.
Bob's game hosts: look for sessions in the game; where it asks for an address, that is 127.0.0.1.
nobody asks
ABCD-EFGH
this machine lets newcomers in: "kick" sends Cid away for all
there are: who, code, kick NAME, cut NAME, yes and no for those who ask (or yes NAME), host and join for a game here while another one hosts, quit
You left the session. It goes on without you, by the same code:
ABCD-EFGH
`, got)
	assert.Equal(t, []string{"kick 1", "kick 2", "host true", "host false"}, s.asked())

	s = guest("Ann", "Bob", "Cid")
	got = shownBy(t, Options{}, s, strings.NewReader("kick cid\nkick bob\ncut cid\nwho\nquit\n"))
	assert.Contains(t, got, `Bob lets newcomers in: only there can Cid be sent away for all. "cut" instead of "kick" parts it from this machine alone, `+
		`and most games need every two machines connected
Bob lets newcomers in, and nobody can send it away for all. "cut" instead of "kick" parts it from this machine alone, `+
		`and most games need every two machines connected
`)
	assert.Contains(t, got, "\nBob lets newcomers in, and can send machines away.\n")
	assert.Equal(t, []string{"cut 2"}, s.asked())
}

// TestYes answers those who ask in the order in which they came, or by name.
func TestYes(t *testing.T) {
	s := newMade("Ann")
	in, typed := io.Pipe()
	go func() {
		for i, name := range []string{"Bob", "Cid", "Dan", "Eve", "Fay", "Gus"} {
			s.events <- bridge.Asked{ID: link.ID{byte(5 + i)}, Name: name}
		}
		s.events <- bridge.Asked{ID: gone, Name: "Hal"}
		s.events <- bridge.Joined{Member: bridge.Member{ID: link.ID{6}, Slot: 1}} // another terminal said yes
		s.events <- bridge.Unasked{ID: link.ID{8}, Name: "Eve"}                   // it went away
		for len(s.events) > 0 {                                                   // they are taken one after the other, before what is typed
			runtime.Gosched()
		}
		typed.Write([]byte("yes\nno Eve\nno\nYES gus\ny\ny\nn\nquit\n")) //nolint:errcheck // the test fails then
	}()
	got := shownBy(t, Options{}, s, in)
	_, answers, _ := strings.Cut(got, "Eve\n")
	assert.Equal(t, `Bob may come in
"Eve" does not ask; there is Dan, Fay, Gus, Hal
Gus may come in
Fay may come in
nobody asks
nobody asks
You left the session, and nobody else is in it.
`, answers, "the last one is gone as well")
	assert.Equal(t, []string{"answer 05 true", "answer 07 false", "answer 0a true", "answer 09 true"}, s.asked())
}

// TestCommands has each command of a program answered.
func TestCommands(t *testing.T) {
	s := newMade("Ann", "Bob", "Cid")
	got := shownBy(t, Options{NDJSON: true, Commands: true}, s, strings.NewReader(`{"command":"list","id":1}
{"command":"kick","machine":"Bob","id":"x"}
{"command":"kick","machine":2,"id":5}
{"command":"kick","id":"y"}
{"command":"kick","machine":"","id":"y"}
{"command":"kick","machine":["Bob"],"id":"z"}
{"command":"kick","machine":null}
{"command":"admit","machine":"05000000000000000000000000000000"}
{"command":"refuse","machine":"06000000000000000000000000000000"}
{"command":"refuse","machine":"06"}
{"command":"host"}
{"command":"join"}
{"command":"dance","id":7}
{"command":7}
{"id":8}
{"command":"cut","machine":"Bob"}
{"command":"kick","whom":"Bob","id":9}
{"command":"list","machine":"Bob"}
nonsense
{"command":"leave"}
{"command":"list"}
`))
	lines := strings.Split(strings.TrimSpace(got), "\n")
	const failed = `"ok":false,"error":`
	for i, want := range []string{
		`"id":1,"line":1,"command":"list","ok":true,"code":"ABCD-EFGH","machines":[{"id":"00`, `"id":"x","line":2,"command":"kick","ok":true}`,
		`"id":5,"line":3,"command":"kick","ok":true}`,
		`"id":"y","line":4,"command":"kick",` + failed + `"missing-key","key":"machine","text":"\"machine\" is missing: the name or the number`,
		`"id":"y","line":5,"command":"kick",` + failed + `"missing-key"`,
		`"id":"z","line":6,"command":"kick",` + failed + `"wrong-type","key":"machine","text":"\"machine\" must be the name or the number`,
		`"command":"kick",` + failed + `"wrong-type"`,
		`"command":"admit","ok":true}`, `"command":"refuse","ok":true}`,
		`"command":"refuse",` + failed + `"bad-value","key":"machine","text":"\"machine\" must be the id of who asks`,
		`"command":"host","ok":true}`, `"command":"join","ok":true}`,
		`"id":7,"line":13,"command":"dance",` + failed + `"unknown-command"`, failed + `"wrong-type","key":"command"`,
		`"id":8,"line":15,` + failed + `"missing-key","key":"command"`,
		`"command":"cut",` + failed + `"failed","text":"this machine lets newcomers in: \"kick\"`,
		`"id":9,"line":17,"command":"kick",` + failed + `"unknown-key","key":"whom"`, `"list",` + failed + `"unknown-key"`, failed + `"not-json"`,
		`"command":"leave","ok":true}`, `"event":"bridge_closed"`,
	} {
		assert.Contains(t, lines[i], want)
	}
	assert.Len(t, lines, 21)
	assert.Equal(t, []string{"kick 1", "kick 2", "answer 05 true", "answer 06 false", "host true", "host false"}, s.asked())
}

// TestCommandTold: what a command did is told before its answer.
func TestCommandTold(t *testing.T) {
	s := newMade("Ann", "Bob")
	s.kicks = true
	got := shownBy(t, Options{NDJSON: true, Commands: true}, s, strings.NewReader(`{"command":"kick","machine":1}`))
	assert.Regexp(t, `^.*"event":"machine_left".*\n.*"event":"answer".*"ok":true}\n.*"event":"bridge_closed"`, got)
}

// TestCommandsOver has the session end while commands wait: nothing is printed after that, and how it ended is how we end.
func TestCommandsOver(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for reason, want := range map[string]error{"": nil, "this machine was sent away": cli.ErrFailed} {
		s := newMade("Ann")
		s.lets = func() { s.end(reason) } //nolint:errcheck // it has none
		var out bytes.Buffer
		o := Options{NDJSON: true, Commands: true, Std: cli.Streams{Out: &out, Err: io.Discard,
			In: strings.NewReader(`{"command":"host"}` + "\n" + `{"command":"list"}` + "\n")}}
		assert.ErrorIs(t, o.Run(testkit.Context(t), s), want, reason)
		assert.Regexp(t, `^\S+"event":"bridge_closed","reason":"`+reason+`"}\n$`, out.String())
	}
}

// TestFind has machines that have others' numbers for names.
func TestFind(t *testing.T) {
	s := newMade("Ann", "2", "1", "Cid", "#3", "7")
	for who, want := range map[string]string{
		"cid": "3", "3": "3", "#3": "3", "#4": "4", "#2": "2", "#1": "1", "#5": "5", "7": "5", "5": "5",
		"2":  `"2" is the name of one machine and the number of another: say "#1" or "#2"`,
		"1":  `"1" is the name of one machine and the number of another: say "#1" or "#2"`,
		"#7": `there is no "#7" in the session`,
		"#0": "that is this machine: Ctrl-C leaves",
	} {
		m, err := find(s.members, who)
		if err != nil {
			assert.Contains(t, err.Error(), want, who)
		} else {
			assert.Equal(t, want, fmt.Sprint(m.Slot), who)
		}
	}
	got := shownBy(t, Options{NDJSON: true, Commands: true}, s, strings.NewReader(`{"command":"kick","machine":2}
{"command":"kick","machine":"2"}
`))
	assert.Equal(t, []string{"kick 2"}, s.asked(), "a number is no name")
	assert.Contains(t, got, `"line":2,"command":"kick","ok":false,"error":"failed","text":"\"2\" is the name of one machine and`)
}

// TestNobodySits has a newcomer ask where somebody can type, and where nobody can: then the line says how to answer.
func TestNobodySits(t *testing.T) {
	var out bytes.Buffer
	r := &shown{Options: &Options{}, out: cli.NewOutput(&out), typed: make(chan string)}
	r.print(bridge.Asked{ID: link.ID{5}, Name: "Bob"})
	r.typed = nil
	r.print(bridge.Asked{ID: link.ID{6}, Name: "Cid"})
	assert.Equal(t, `Bob wants to join: yes or no?
Cid wants to join: "dplay bridge admit" in another terminal lets it in, "dplay bridge refuse" does not
`, out.String())
}

// TestControl kicks and lists from another terminal.
func TestControl(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	_, err := Ask(t.Context(), "kick", "Bob")
	require.ErrorIs(t, err, ErrNoBridge)
	s := newMade("Ann", "Bob", "Bob")
	s.members[1].Twin, s.members[2].Twin = true, true
	c, err := openControl()
	require.NoError(t, err)
	go c.serve(s)
	r, err := Ask(t.Context(), "kick", "2")
	require.NoError(t, err)
	assert.Equal(t, "Bob (2)", r.Machine.Called())
	_, err = Ask(t.Context(), "kick", "bob (1)")
	require.NoError(t, err)
	_, err = Ask(t.Context(), "kick", "bob")
	require.ErrorContains(t, err, "several machines")
	_, err = Ask(t.Context(), "cut", "2")
	require.ErrorContains(t, err, `"kick" sends Bob (2) away`)
	r, err = Ask(t.Context(), "list", "")
	require.NoError(t, err)
	assert.Equal(t, "ABCD-EFGH", r.Code)
	assert.Len(t, r.Machines, 3)
	r, err = Ask(t.Context(), "ways", "")
	require.NoError(t, err)
	assert.Len(t, r.Pairs, 1, "those of this machine are in the other list")
	assert.Equal(t, "Bob", r.Pairs[0].B.Name)
	_, err = Ask(t.Context(), "dance", "")
	require.ErrorContains(t, err, "another version")
	c.close()
	_, err = Ask(t.Context(), "kick", "Bob")
	require.ErrorIs(t, err, ErrNoBridge)
	assert.Equal(t, []string{"kick 2", "kick 1"}, s.asked())
}

// TestControlOfGuest has other terminals of a machine that is no keeper.
func TestControlOfGuest(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	s := guest("Ann", "Bob", "Cid")
	c, err := openControl()
	require.NoError(t, err)
	defer c.close()
	go c.serve(s)
	_, err = Ask(t.Context(), "kick", "Cid")
	require.ErrorContains(t, err, "Bob lets newcomers in: only there can Cid be sent away")
	r, err := Ask(t.Context(), "cut", "Cid")
	require.NoError(t, err)
	assert.Equal(t, "Cid was cut off from this machine alone: the others still have it", CutOff(r.Machine.Name))
	assert.Equal(t, []string{"cut 2"}, s.asked())
}

// TestControlAnswers answers newcomers from another terminal: the first one, by name, and by ID.
func TestControlAnswers(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	s := newMade("Ann")
	c, err := openControl()
	require.NoError(t, err)
	defer c.close()
	go c.serve(s)
	_, err = Ask(t.Context(), "admit", "")
	require.ErrorContains(t, err, "nobody asks")
	s.mu.Lock()
	s.asks("Bob", "C\x1bid", "")
	s.mu.Unlock()
	for _, a := range []struct{ command, who, name string }{
		{"admit", "", "Bob"}, {"refuse", "c\ufffdID", "C\ufffdid"}, {"refuse", "07000000000000000000000000000000", ""},
	} {
		r, err := Ask(t.Context(), a.command, a.who)
		require.NoError(t, err)
		assert.Equal(t, a.name, r.Machine.Name)
	}
	assert.Equal(t, []string{"answer 05 true", "answer 06 false", "answer 07 false"}, s.asked())
	assert.Equal(t, "a machine without a name may come in", MayComeIn(""))
	assert.Equal(t, "a machine without a name may not come in", MayNotComeIn(""))
	_, err = Ask(t.Context(), "admit", "Eve")
	require.EqualError(t, err, `"Eve" does not ask; there is Bob, C`+"\ufffd"+`id, a machine without a name`)
}

// TestPairs has pairs with each kind of way.
func TestPairs(t *testing.T) {
	pairs, err := newMade("Ann", "Bob", "Cid", "Dan", "Eve", "Fay").Ways(t.Context())
	require.NoError(t, err)
	list := PairsOf(pairs)
	assert.Equal(t, []string{
		"Bob - Cid:  none",
		"Bob - Dan:  unknown",
		"Bob - Eve:  relayed  48 ms  8 % lost",
		"Bob - Fay:  direct   60 ms  10 % lost",
	}, PairLines(list)[:4])
	text, err := json.Marshal(list[2])
	require.NoError(t, err)
	assert.JSONEq(t, `{"a": {"id": "01000000000000000000000000000000", "slot": 1, "name": "Bob", "self": false, "keeper": false},
		"b": {"id": "04000000000000000000000000000000", "slot": 4, "name": "Eve", "self": false, "keeper": false},
		"way": "relayed", "round_trip": 0.048, "loss": 0.08}`, string(text))
	text, err = json.Marshal(list[1])
	require.NoError(t, err)
	assert.NotContains(t, string(text), "round_trip")
}
