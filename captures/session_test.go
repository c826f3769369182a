package captures_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/captures"
	"dplay4/wire"
)

// TestRowsOfList: a player that is announced again with another machine brings no row that no limit counts. The server player is in the list.
func TestRowsOfList(t *testing.T) {
	n := newNetwork(t)
	c := n.tcp(host+":1025", joiner+":2300")
	m := &wire.SuperEnumPlayersReply{Desc: wire.SessionDesc{Instance: wire.GUID{1}}, Name: wire.NewText("s")}
	for owner := range wire.PlayerID(100) {
		m.Players = append(m.Players, wire.SuperPackedPlayer{ID: 77, Owner: 1000 + uint32(owner)})
	}
	m.Players = append(m.Players, wire.SuperPackedPlayer{ID: wire.IDServer, Owner: 1000, Flags: wire.PlayerServerPlayer})
	c.send(sys(2300, m))
	n.count(func(r *captures.Record) {
		var ids []wire.PlayerID
		for _, p := range r.Session.List().Players() {
			ids = append(ids, p.ID)
		}
		slices.Sort(ids)
		assert.Equal(t, []wire.PlayerID{wire.IDServer, 77, 1000}, ids)
	})
}

// TestWhoIsThere: after each message, a session has the list of those who are in it. At the end it has each stay.
func TestWhoIsThere(t *testing.T) {
	const machine, ann, team, far, bob = 0x501, 0x502, 0x503, 0x601, 0x602
	create := func(id, system wire.PlayerID, name string) wire.Message {
		return &wire.CreatePlayer{Player: id, Info: wire.PackedPlayer{ID: id, System: system, ShortName: wire.NewText(name)}}
	}
	n := newNetwork(t)
	c := n.tcp(host+":1025", joiner+":2300")
	for _, m := range []wire.Message{
		&wire.SuperEnumPlayersReply{Desc: wire.SessionDesc{Instance: wire.GUID{1}}, Name: wire.NewText("s"),
			Players: []wire.SuperPackedPlayer{
				{ID: machine, Owner: 14, Flags: wire.PlayerSystem | wire.PlayerNameServer},
				{ID: ann, Owner: machine, ShortName: wire.NewText("Ann")},
			},
			Groups: []wire.SuperPackedPlayer{{ID: team, Owner: machine, ShortName: wire.NewText("Team")}}},
		create(bob, far, "Bob"), // the capture has no announcement of its machine
		create(bob, far, "Bob"), // each member gets one
		&wire.DeletePlayer{Player: ann},
		&wire.DeletePlayer{Player: ann},
		&wire.DeletePlayer{Player: 0x777}, // somebody from before the capture
		create(ann, machine, ""),
		&wire.PlayerNameChanged{Player: ann, ShortName: wire.NewText("Eve")},
		&wire.PlayerNameChanged{Player: 0x888, ShortName: wire.NewText("nobody")},
		&wire.IAmNameServer{Host: far},
		&wire.DeletePlayer{Player: machine}, // with its player and its group
	} {
		c.send(sys(2300, m))
	}
	var there []string
	var s *captures.Session
	n.count(func(r *captures.Record) {
		s = r.Session
		var ids []string
		for _, e := range slices.Concat(s.List().Players(), s.List().Groups()) {
			ids = append(ids, fmt.Sprintf("%x of %x", uint32(e.ID), uint32(e.System)))
		}
		there = append(there, fmt.Sprintf("%s, host %x", strings.Join(ids, ", "), uint32(s.List().Host())))
	})
	assert.Equal(t, []string{
		"501 of 501, 502 of 501, 503 of 501, host 501",
		"501 of 501, 502 of 501, 601 of 601, 602 of 601, 503 of 501, host 501",
		"501 of 501, 502 of 501, 601 of 601, 602 of 601, 503 of 501, host 501",
		"501 of 501, 601 of 601, 602 of 601, 503 of 501, host 501",
		"501 of 501, 601 of 601, 602 of 601, 503 of 501, host 501",
		"501 of 501, 601 of 601, 602 of 601, 503 of 501, host 501",
		"501 of 501, 601 of 601, 602 of 601, 502 of 501, 503 of 501, host 501",
		"501 of 501, 601 of 601, 602 of 601, 502 of 501, 503 of 501, host 501",
		"501 of 501, 601 of 601, 602 of 601, 502 of 501, 503 of 501, host 501",
		"501 of 501, 601 of 601, 602 of 601, 502 of 501, 503 of 501, host 601",
		"601 of 601, 602 of 601, host 601",
	}, there)
	var stays []string
	for _, p := range s.Stays() {
		var names []string
		for _, n := range p.Names {
			names = append(names, fmt.Sprintf("%s from %d", n.Name, n.N))
		}
		stays = append(stays, fmt.Sprintf("%x %d to %d %s", uint32(p.ID), p.From.N, p.Until.N, names))
	}
	assert.Equal(t, []string{"501 1 to 11 []", "502 1 to 4 [Ann from 1]", "503 1 to 11 [Team from 1]", "602 2 to 0 [Bob from 2]",
		"777 6 to 6 []", "502 7 to 11 [Ann from 7 Eve from 8]", "888 9 to 0 []", "601 10 to 0 []"}, stays)
	assert.Nil(t, s.Player(0x777), "nobody announced it")
	assert.Equal(t, "Eve", s.PlayerName(ann), "also after it left")
}
