package dpsp

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/wire"
)

// A forgery is a message that its sender cannot have sent.
type forgery struct {
	name   string
	from   int // which machine sends: 0 the host, 1 and 2 members, 3 a stranger, 4 a stranger who says that it is the host
	to     int
	m      wire.Message
	strict Reason
	free   bool // a compatible engine takes it, of a member
}

// forgeries is for a session of a host and two members, with a group of peer2's.
func forgeries(n []*node, ids []wire.PlayerID, g wire.PlayerID) []forgery {
	info := func(id, owner wire.PlayerID) wire.PackedPlayer { return wire.PackedPlayer{ID: id, System: owner} }
	text := wire.NewText("forged")
	return []forgery{
		{"another's player deleted", 1, 0, &wire.DeletePlayer{Player: ids[2]}, NotAllowed, true},
		{"another machine deleted", 1, 0, &wire.DeletePlayer{Player: n[2].self}, NotAllowed, true},
		{"the host deleted", 1, 2, &wire.DeletePlayer{Player: n[0].self}, NotAllowed, true},
		{"the host deletes", 0, 1, &wire.DeletePlayer{Player: ids[2]}, "", true},
		{"us deleted", 2, 1, &wire.DeletePlayer{Player: n[1].self}, NotAllowed, true},
		{"the host told to leave", 1, 0, &wire.DeletePlayer{Player: n[0].self}, NotAllowed, false},
		{"a stranger deletes", 3, 1, &wire.DeletePlayer{Player: ids[2]}, NotAllowed, false},
		{"with the host's header", 4, 1, &wire.DeletePlayer{Player: ids[2]}, NotAllowed, false},
		{"another's player renamed", 1, 0, &wire.PlayerNameChanged{Player: ids[2], ShortName: text}, NotAllowed, true},
		{"our player renamed", 2, 1, &wire.PlayerNameChanged{Player: ids[1], ShortName: text}, NotAllowed, true},
		{"another's player's data", 1, 0, &wire.PlayerDataChanged{Player: ids[2], Data: []byte("x")}, NotAllowed, true},
		{"another's group renamed", 1, 0, &wire.GroupNameChanged{Group: g, ShortName: text}, NotAllowed, true},
		{"another's group's data", 1, 0, &wire.GroupDataChanged{Group: g, Data: []byte("x")}, NotAllowed, true},
		{"another's group deleted", 1, 0, &wire.DeleteGroup{Group: g}, "", true},
		{"a stranger deletes a group", 3, 0, &wire.DeleteGroup{Group: g}, NotMember, false},
		{"a player deleted as a group", 1, 0, &wire.DeleteGroup{Group: ids[2]}, Conflict, false},
		{"a member joins a group", 1, 0, &wire.AddPlayerToGroup{Player: ids[1], Group: g}, "", true},
		{"a stranger's membership", 3, 0, &wire.AddPlayerToGroup{Player: ids[1], Group: g}, NotMember, false},
		{"a player of another machine", 1, 2, &wire.CreatePlayer{Info: info(0x777, n[0].self)}, NotAllowed, true},
		{"a player without an id of the host's", 1, 0, &wire.CreatePlayer{Info: info(0x777, n[1].self)}, NotAllowed, true},
		{"a player of nobody", 1, 0, &wire.CreatePlayer{Info: info(0x777, 0x999)}, NotAllowed, false},
		{"a system player", 1, 2, &wire.CreatePlayer{Info: wire.PackedPlayer{ID: 7, System: n[1].self, Flags: wire.PlayerSystem}}, NotAllowed, false},
		{"a player twice", 1, 2, &wire.CreatePlayer{Info: info(ids[1], n[1].self)}, "", false},
		{"a group without an id of the host's", 1, 0, &wire.CreateGroup{Info: info(0x777, n[1].self)}, NotAllowed, true},
		{"a description from a member", 1, 2, &wire.SessionDescChanged{Name: text}, NotAllowed, true},
		{"a description from a stranger", 4, 2, &wire.SessionDescChanged{Name: text}, NotAllowed, false},
		{"a description for the host", 1, 0, &wire.SessionDescChanged{Name: text}, OutOfTurn, false},
		{"a member as host", 1, 2, &wire.IAmNameServer{Host: n[0].self}, NotAllowed, false},
		{"a stranger as host", 3, 2, &wire.IAmNameServer{Host: n[1].self}, NotAllowed, false},
		{"nobody as host", 1, 2, &wire.IAmNameServer{Host: 0x999}, NotAllowed, false},
		{"a second host", 1, 0, &wire.IAmNameServer{Host: n[1].self}, OutOfTurn, false},
		{"a newcomer from a member", 1, 2, &wire.AddForward{Player: 0x777, Info: info(0x777, 0x777)}, NotAllowed, true},
		{"a newcomer for the host", 1, 0, &wire.AddForward{Player: 0x777, Info: info(0x777, 0x777)}, OutOfTurn, false},
	}
}

// moreForgeries are those about messages, requests and answers.
func moreForgeries(n []*node, ids []wire.PlayerID) []forgery {
	info := wire.PackedPlayer{ID: 0x777, System: 0x777}
	text := wire.NewText("forged")
	return []forgery{
		{"death from a member", 1, 2, &wire.YouAreDead{}, NotAllowed, true},
		{"death for the host", 1, 0, &wire.YouAreDead{}, OutOfTurn, false},
		{"a message from another's player", 1, 0, &wire.PlayerMessage{From: ids[2], Payload: []byte("x")}, NotAllowed, true},
		{"a message from our own player", 1, 0, &wire.PlayerMessage{From: ids[0], Payload: []byte("x")}, NotAllowed, false},
		{"a message from nobody", 1, 0, &wire.PlayerMessage{From: 0x999, Payload: []byte("x")}, NoSuchID, false},
		{"a message for another's player", 1, 0, &wire.PlayerMessage{From: ids[1], To: ids[2], Payload: []byte("x")}, NoSuchID, false},
		{"a stranger's message", 3, 0, &wire.PlayerMessage{From: ids[2], Payload: []byte("x")}, NotAllowed, false},
		{"chat from another's player", 1, 0, &wire.Chat{From: ids[2], Text: text}, NotAllowed, true},
		{"a stranger's fragment", 3, 0, &wire.Packet{Total: 2, MessageSize: 9, Data: wire.Inner{Octets: []byte("x")}}, NotMember, false},
		{"an id for a stranger", 3, 0, &wire.RequestPlayerID{}, NotMember, false},
		{"a group for a stranger", 3, 0, &wire.RequestGroupID{}, NotMember, false},
		{"an id from a member", 1, 2, &wire.RequestPlayerID{Flags: wire.PlayerSystem}, OutOfTurn, false},
		{"an id that nobody asked for", 0, 1, &wire.RequestPlayerReply{ID: 5}, OutOfTurn, false},
		{"a refusal of nothing", 0, 1, &wire.AddForwardReply{Error: wire.ErrInvalidPassword}, OutOfTurn, false},
		{"a list that nobody asked for", 0, 1, &wire.SuperEnumPlayersReply{}, OutOfTurn, false},
		{"admission without an id", 3, 0, &wire.AddForwardRequest{Player: 0x777, Info: info}, OutOfTurn, false},
		{"an acknowledgement of nothing", 1, 0, &wire.AddForwardAck{ID: 5}, OutOfTurn, false},
		{"a stranger's acknowledgement", 3, 0, &wire.AddForwardAck{ID: 5}, NotMember, false},
		{"the list for a stranger", 3, 0, &wire.EnumPlayer{}, NotMember, true},
		{"a secure logon", 0, 1, &wire.Negotiate{}, Unsupported, false},
		{"voice", 0, 1, &wire.Voice{}, Unsupported, false},
		{"an unknown command", 0, 1, &wire.Unknown{Cmd: 0x77}, Unknown, false},
		{"a stranger's ping", 3, 1, &wire.Ping{From: ids[1]}, NoSuchID, false},
		{"another's ping", 3, 1, &wire.Ping{From: n[0].self}, NotAllowed, false},
		{"another's answer", 3, 1, &wire.PingReply{From: n[0].self}, NotAllowed, false},
	}
}

// Every message that its sender cannot have sent is dropped for the reason in the table. Compatible engines take from
// members what Windows would; the rest stays refused because it makes no sense, or is a stranger's.
func TestForgeries(t *testing.T) {
	for _, strict := range []bool{true, false} {
		for i := 0; ; i++ {
			w, n, ids := session(t, 0, 2, Config{Compatible: !strict})
			g := w.must(n[2], CreateGroup{})
			n = append(n, w.add("stranger", Config{}))
			all := append(forgeries(n, ids, g), moreForgeries(n, ids)...)
			if i == len(all) {
				break
			}
			f := all[i]
			from, sp := n[min(f.from, 3)], n[min(f.from, 3)].cfg.header()
			if f.from == 4 {
				sp.SockAddr.Addr = n[0].addr.As4()
			}
			for _, p := range n {
				p.events = nil
			}
			w.raw(from, n[f.to], sp, f.m, false)
			got := dropped(n[f.to])
			if f.strict == "" || !strict && f.free {
				assert.Empty(t, got, "%s, strict %v", f.name, strict)
				continue
			}
			if strict {
				assert.Equal(t, []Reason{f.strict}, got, f.name)
			} else {
				assert.Len(t, got, 1, f.name)
			}
		}
	}
}
