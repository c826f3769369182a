package browse

import (
	"encoding/json"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/dpsp/sock"
	"dplay4/wire"
)

// A hostAt makes the answers of one host of a session.
type hostAt struct {
	socket  string
	players uint32
	began   time.Time
}

func (h hostAt) answers(after time.Duration) answer {
	socket := netip.MustParseAddrPort(h.socket)
	return answer{Found: sock.Found{Name: "Castle", Host: socket, From: socket.Addr(),
		Desc: wire.SessionDesc{Instance: wire.GUID{1}, CurrentPlayers: h.players}}, at: h.began.Add(after)}
}

// TestHostMoved has a host go silent and another one answer for its session: it is told once, with both addresses, when
// the first one has been silent for as long as what is gone.
func TestHostMoved(t *testing.T) {
	began := time.Now()
	dead, next := hostAt{"192.0.2.1:2300", 3, began}, hostAt{"192.0.2.2:2301", 2, began}
	l := newSessionList(&Options{Flags: Flags{Timeout: time.Second}}, nil)
	session := wire.GUID{1}
	assert.Equal(t, found, l.add(dead.answers(0)))
	assert.Equal(t, nothing, l.add(next.answers(time.Second)))
	assert.Equal(t, dead.socket, l.found[session].Host.String())
	assert.Equal(t, uint32(3), l.found[session].Desc.CurrentPlayers, "who is not shown has no say")
	assert.Equal(t, nothing, l.add(next.answers(3*time.Second-1)))
	assert.Equal(t, began.Add(3*time.Second-1), l.found[session].at, "the session is not silent")
	assert.Equal(t, moved, l.add(next.answers(3*time.Second)))
	assert.Equal(t, nothing, l.add(next.answers(4*time.Second)), "it is told once")
	s := l.found[session]
	assert.Equal(t, []string{next.socket, dead.socket}, []string{s.Host.String(), s.oldHost.String()})
	assert.Equal(t, uint32(2), s.Desc.CurrentPlayers)
	assert.Equal(t, next.socket[:9], s.From.String())
	assert.Equal(t, nothing, l.add(dead.answers(5*time.Second)), "who comes back is one of two")
	next.players++
	assert.Equal(t, changed, l.add(next.answers(5*time.Second)))
	assert.Equal(t, moved, l.add(dead.answers(8*time.Second)))
}

// TestTwoHosts has two hosts answer for one session all the time, as those of a split session or one with two network
// cards do, with answers lost here and there: the first one stays, and nothing is told.
func TestTwoHosts(t *testing.T) {
	began := time.Now()
	one, two := hostAt{"192.0.2.1:2300", 3, began}, hostAt{"198.51.100.1:2300", 2, began}
	l := newSessionList(&Options{}, nil)
	l.add(one.answers(0))
	for i := range 300 {
		after := time.Duration(i) * time.Second
		if i%3 != 1 { // never for three seconds
			assert.Equal(t, nothing, l.add(one.answers(after)))
		}
		assert.Equal(t, nothing, l.add(two.answers(after+time.Millisecond)))
		assert.Equal(t, one.socket, l.found[wire.GUID{1}].Host.String())
	}
}

// TestMovedShown checks what the list, the table, and the page's array say of a host that is elsewhere, and for how long.
func TestMovedShown(t *testing.T) {
	began := time.Now()
	dead, next := hostAt{"192.0.2.1:2300", 2, began}, hostAt{"192.0.2.2:2301", 2, began}
	b := newBoard(&Options{}, began)
	b.take(dead.answers(0))
	b.take(next.answers(3 * time.Second))
	note := `"Castle" is at 192.0.2.2:2301 now, not 192.0.2.1:2300 any more`
	p := b.look(began.Add(3 * time.Second))
	assert.Equal(t, []string{note}, p.moved)
	assert.Contains(t, newTestWatch(p, 120, 10).draw(), note)
	assert.Contains(t, string(sessionsArray(began.Add(3*time.Second), p)), `"old_addr":"192.0.2.1:2300"`)
	late := began.Add(3*time.Second + movedFor)
	b.take(next.answers(late.Sub(began)))
	p = b.look(late)
	require.Len(t, p.rows, 1)
	assert.Empty(t, p.moved)
	assert.NotContains(t, string(sessionsArray(late, p)), "old_addr")

	b = newBoard(&Options{}, began)
	b.take(dead.answers(0))
	assert.Empty(t, b.look(began.Add(10*time.Second)).rows, "it was gone meanwhile")
	b.take(next.answers(20 * time.Second))
	assert.Equal(t, []string{note}, b.look(began.Add(20*time.Second)).moved)
}

// TestMovedLines checks the line for people, and the object.
func TestMovedLines(t *testing.T) {
	began := time.Now()
	s := hostAt{"192.0.2.2:2301", 2, began}.answers(0)
	s.oldHost, s.moved = netip.MustParseAddrPort("192.0.2.1:2300"), began
	var text strings.Builder
	opt := &Options{}
	newSessionList(opt, cli.NewOutput(&text)).line(began, &s, "host_moved")
	assert.Equal(t, `> "Castle", 2 players, {00000000-0000-0000-0000-000000000000}, no flags, at 192.0.2.2:2301 now, not `+
		"192.0.2.1:2300 any more, session {00000001-0000-0000-0000-000000000000}\n", text.String())
	text.Reset()
	opt.NDJSON = true
	newSessionList(opt, cli.NewOutput(&text)).line(began, &s, "host_moved")
	var got object
	require.NoError(t, json.Unmarshal([]byte(text.String()), &got))
	assert.Equal(t, []any{"host_moved", "192.0.2.2:2301", "192.0.2.1:2300"}, []any{got["event"], got["addr"], got["old_addr"]})
	assert.Contains(t, got, "session")
}
