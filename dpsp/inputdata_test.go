package dpsp

import (
	"bytes"
	"fmt"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/wire"
)

// TestInputDataIsNotKept has two equal worlds live through a session with everything that an engine keeps of what it
// is told: one hands over octets that stay, the other one a buffer that is overwritten after every Step, as package
// sock does. Every output and every event must be the same.
func TestInputDataIsNotKept(t *testing.T) {
	stays, reused := lifeOf(t, false), lifeOf(t, true)
	assert.Greater(t, len(stays), 100)
	assert.Equal(t, len(stays), len(reused))
	for i := range min(len(stays), len(reused)) {
		if !assert.Equal(t, stays[i], reused[i], "step %d", i) {
			return
		}
	}
}

// lifeOf runs the session and tells all that came out of the engines, and of their lists at the end.
func lifeOf(t *testing.T, overwrite bool) (log []string) {
	w := newWorld(t)
	buf := make([]byte, 1<<20)
	cfg := Config{MaxStream: 512, MaxDatagram: 512}
	step := func(n *node, in Input) {
		if in.Data != nil && overwrite {
			in.Data = buf[:copy(buf, in.Data)]
		}
		out := n.Step(w.now, in)
		for _, s := range out.Sends {
			log = append(log, fmt.Sprintf("%s to %v: %x", n.name, s.To, s.Data))
			w.queue = append(w.queue, packet{n, s.To, s.Transport != TCP, bytes.Clone(s.Data)})
		}
		n.events = append(n.events, out.Events...)
		if overwrite {
			for i := range in.Data {
				buf[i] = 0xEE
			}
		}
	}
	settle := func() {
		for len(w.queue) > 0 {
			p := w.queue[0]
			w.queue = w.queue[1:]
			in := Input{Kind: Stream, From: netip.AddrPortFrom(p.from.addr, 40000), Data: p.data}
			if p.udp {
				in.Kind, in.From = Datagram, p.from.datagram()
			}
			if n := w.at(p.to); n != nil {
				step(n, in)
			}
		}
	}
	do := func(n *node, c Command) wire.PlayerID {
		step(n, Input{Kind: Request, Command: c, Token: 77})
		settle()
		for i := len(n.events) - 1; i >= 0; i-- {
			if d, ok := n.events[i].(Done); ok && d.Token == 77 {
				assert.NoError(t, d.Err, "%s: %T", n.name, c)
				return d.ID
			}
		}
		t.Fatalf("%s: %T is not answered", n.name, c)
		return 0
	}
	h := w.add("host", cfg)
	do(h, Host{Application: gameGUID, Name: "Game", Password: "sesame"})
	var ids, groups []wire.PlayerID
	for i := range 3 {
		n := h
		if i > 0 {
			n = w.add(fmt.Sprint("member", i), cfg)
			do(n, Enumerate{Application: gameGUID, Flags: wire.EnumAll | wire.EnumPasswordRequired, To: []netip.AddrPort{netip.AddrPortFrom(h.addr, EnumPort)}})
			var at SessionFound
			for _, e := range n.events {
				if f, ok := e.(SessionFound); ok {
					at = f
				}
			}
			do(n, Join{Host: at.Host, Desc: at.Desc, Name: at.Name, Password: "sesame"})
		}
		ids = append(ids, do(n, CreatePlayer{ShortName: Text(n.name), LongName: Text("long " + n.name), Data: []byte("data of " + n.name)}))
		groups = append(groups, do(n, CreateGroup{ShortName: Text("group of " + n.name), Data: bytes.Repeat([]byte{byte(i)}, 200)}))
	}
	for i, n := range w.nodes {
		do(n, Send{From: ids[i], To: wire.IDAll, Payload: bytes.Repeat([]byte(n.name), 700), Guaranteed: true})
		do(n, Send{From: ids[i], To: ids[(i+1)%3], Payload: bytes.Repeat([]byte(n.name), 100)})
		do(n, Chat{From: ids[i], To: wire.IDAll, Text: Text("hello from " + n.name), Guaranteed: true})
	}
	for _, n := range w.nodes {
		for _, e := range n.events {
			log = append(log, fmt.Sprintf("%s: %T %+v", n.name, e, e))
		}
		for _, p := range n.Players() {
			log = append(log, fmt.Sprintf("%s has %+v", n.name, p))
		}
		for _, id := range groups {
			g, _ := n.list.Get(id)
			log = append(log, fmt.Sprintf("%s has %+v", n.name, g))
		}
	}
	return log
}
