package dpsp

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

func TestJoinAndTalk(t *testing.T) {
	w, n, ids := session(t, wire.SessionKeepAlive, 3, Config{})
	for _, p := range n {
		for _, e := range p.events {
			if d, ok := e.(Dropped); ok {
				t.Errorf("%s dropped %+v", p.name, d)
			}
		}
		players, _ := p.list.Len()
		assert.Equal(t, 8, players, "%s: four machines with a player each", p.name)
		assert.EqualValues(t, 4, p.list.Desc().CurrentPlayers)
		p.events = nil
	}
	for _, guaranteed := range []bool{true, false} {
		w.must(n[1], Send{From: ids[1], To: wire.IDAll, Guaranteed: guaranteed, Payload: []byte("hello")})
		for i, p := range n {
			got := take[Message](p)
			if i == 1 {
				assert.Empty(t, got)
				continue
			}
			require.Len(t, got, 1, p.name)
			assert.Equal(t, Message{From: ids[1], To: ids[i], Sent: wire.IDAll, Guaranteed: guaranteed, Payload: []byte("hello")}, got[0])
		}
		w.must(n[2], Send{From: ids[2], To: ids[3], Guaranteed: guaranteed, Payload: []byte("you")})
		assert.Len(t, take[Message](n[3]), 1)
		assert.Empty(t, take[Message](n[0]))
	}
	w.must(n[3], Leave{})
	for i, p := range n[:3] {
		got := take[PlayerDeleted](p)
		require.Len(t, got, 1, p.name)
		assert.Equal(t, PlayerDeleted{ID: ids[3], Name: "peer3"}, got[0], i)
		players, _ := p.list.Len()
		assert.Equal(t, 6, players)
	}
	w.must(n[0], Leave{})
	for _, p := range n[1:3] {
		assert.Len(t, take[SessionLost](p), 1, p.name)
	}
}

func TestLargeMessages(t *testing.T) {
	w, n, ids := session(t, 0, 2, Config{MaxDatagram: 500, MaxStream: 700})
	payload := bytes.Repeat([]byte("0123456789"), 6000)
	for _, guaranteed := range []bool{true, false} {
		w.must(n[1], Send{From: ids[1], To: wire.IDAll, Guaranteed: guaranteed, Payload: payload})
		for i := range n {
			if i == 1 {
				continue
			}
			for _, d := range take[Dropped](n[i]) {
				t.Errorf("%+v", d)
			}
		}
	}
	w.must(n[1], Send{From: ids[1], To: wire.IDAll, Guaranteed: true, Payload: payload})
	got := take[Message](n[2])
	require.Len(t, got, 1)
	assert.Equal(t, payload, got[0].Payload)
	assert.True(t, got[0].Guaranteed)
}

func TestPasswords(t *testing.T) {
	w := newWorld(t)
	h := w.add("host", Config{})
	w.must(h, Host{Application: gameGUID, Name: "Secret", Password: "sesame", MaxPlayers: 2})
	p := w.add("peer", Config{})
	w.must(p, Enumerate{Application: gameGUID, Flags: wire.EnumPasswordRequired})
	found := take[SessionFound](p)
	require.Len(t, found, 1)
	assert.Equal(t, wire.ErrInvalidPassword, w.do(p, Join{Host: found[0].Host, Desc: found[0].Desc, Password: "wrong"}).Err)
	w.must(p, Join{Host: found[0].Host, Desc: found[0].Desc, Password: "sesame"})
	w.must(p, CreatePlayer{ShortName: "a"})
	w.must(p, CreatePlayer{ShortName: "b"})
	assert.Equal(t, wire.ErrNoNewPlayers, w.do(p, CreatePlayer{}).Err)
	q := w.add("late", Config{})
	assert.Equal(t, wire.ErrNoNewPlayers, w.do(q, Join{Host: found[0].Host, Desc: found[0].Desc, Password: "sesame"}).Err)
}
