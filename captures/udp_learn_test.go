package captures_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/captures"
	"dplay4/wire"
)

// list is a SUPERENUMPLAYERSREPLY of one player whose machine listens on two sockets.
func list(tcp, udp string) wire.Message {
	return &wire.SuperEnumPlayersReply{Desc: wire.SessionDesc{Instance: wire.GUID{1}}, Name: wire.NewText("s"),
		Players: []wire.SuperPackedPlayer{
			{ID: 0x501, Flags: wire.PlayerSystem, SPData: spData(tcp, udp)},
			{ID: 0x502, Flags: wire.PlayerLocal, ShortName: wire.NewText("Ann")},
		}}
}

func packed(id wire.PlayerID, tcp, udp string) wire.PackedPlayer {
	return wire.PackedPlayer{ID: id, SPData: spData(tcp, udp)}
}

// TestLearntSockets: which sockets speak DirectPlay is learnt from the traffic. Each case teaches something
// on a connection from the host to the joiner, then sends a datagram to a socket and one from it.
func TestLearntSockets(t *testing.T) {
	ask := &wire.EnumSessions{}
	cases := []struct {
		name   string
		teach  wire.Message
		socket string
		ok     bool
	}{
		{"nothing", ask, "10.0.0.1:6350", false},
		{"a list, address left open", list("0.0.0.0:6300", "0.0.0.0:6350"), "10.0.0.1:6350", true},
		{"a list, address left open, another machine", list("0.0.0.0:6300", "0.0.0.0:6350"), "10.0.0.9:6350", false},
		{"a list, explicit address", list("10.0.0.9:6300", "10.0.0.9:6350"), "10.0.0.9:6350", true},
		{"a list, explicit address, another machine", list("10.0.0.9:6300", "10.0.0.9:6350"), "10.0.0.1:6350", false},
		{"a list, its TCP socket", list("0.0.0.0:6300", "0.0.0.0:6350"), "10.0.0.1:6300", false},
		{"an old list", &wire.EnumPlayersReply{Players: []wire.PackedPlayer{packed(5, "0.0.0.0:6300", "0.0.0.0:6350")}},
			"10.0.0.1:6350", true},
		{"an old list, a group", &wire.EnumPlayersReply{Groups: []wire.PackedPlayer{packed(5, "0.0.0.0:6300", "0.0.0.0:6350")}},
			"10.0.0.1:6350", true},
		{"ADDFORWARD", &wire.AddForward{Info: packed(5, "10.0.0.9:6300", "10.0.0.9:6350")}, "10.0.0.9:6350", true},
		{"ADDFORWARDREQUEST", &wire.AddForwardRequest{Info: packed(5, "0.0.0.0:6300", "0.0.0.0:6350"), Password: wire.NewText("")},
			"10.0.0.1:6350", true},
		{"CREATEPLAYER", &wire.CreatePlayer{Info: packed(5, "0.0.0.0:6300", "0.0.0.0:6350")}, "10.0.0.1:6350", true},
		{"CREATEPLAYERVERIFY", &wire.CreatePlayerVerify{Info: packed(5, "0.0.0.0:6300", "0.0.0.0:6350")}, "10.0.0.1:6350", true},
		{"CREATEGROUP", &wire.CreateGroup{Info: packed(5, "0.0.0.0:6300", "0.0.0.0:6350")}, "10.0.0.1:6350", true},
		{"IAMNAMESERVER", &wire.IAmNameServer{SPData: spData("10.0.0.9:6300", "10.0.0.9:6350")}, "10.0.0.9:6350", true},
		{"port 0", &wire.CreatePlayer{Info: packed(5, "0.0.0.0:6300", "0.0.0.0:0")}, "10.0.0.1:6350", false},
		{"SP data of another family", &wire.CreatePlayer{Info: wire.PackedPlayer{ID: 5, SPData: make([]byte, 32)}},
			"10.0.0.1:0", false},
		{"wrapped", &wire.Ask4Multicast{Group: 1, From: 2, Inner: wire.Inner{Version: 14,
			Message: &wire.CreatePlayer{Info: packed(5, "0.0.0.0:6300", "0.0.0.0:6350")}}}, "10.0.0.1:6350", true},
		{"wrapped twice", &wire.MulticastDelivery{Group: 1, From: 2, Inner: wire.Inner{Version: 14, Message: &wire.Signed{
			Inner: wire.Inner{Version: 14, Message: &wire.CreatePlayer{Info: packed(5, "0.0.0.0:6300", "0.0.0.0:6350")}}}}},
			"10.0.0.1:6350", true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			n := newNetwork(t)
			s := n.tcp(host+":1025", joiner+":2300")
			s.send(sys(6300, c.teach))
			n.UDP(joiner+":1030", c.socket, bare(0x77, 0x78, "to"))
			n.UDP(c.socket, joiner+":1031", bare(0x78, 0x77, "from"))
			g := n.read(captures.Options{})
			if !c.ok {
				assert.Len(t, g.records, 1, g.events)
				assert.EqualValues(t, 22, g.sum.OtherOctets)
				return
			}
			if assert.Len(t, g.records, 3, g.events) {
				assert.Equal(t, `[3] PLAYERMESSAGE from=0x00000077 to=0x00000078 payload=2 octets 746f`, g.events[1])
				assert.Equal(t, `[4] PLAYERMESSAGE from=0x00000078 to=0x00000077 payload=4 octets 66726f6d`, g.events[2])
			}
		})
	}
}

// TestPingTeaches: a system message by UDP shows that both its sockets are DirectPlay's; the request for
// sessions does not, it comes from a throw-away socket (facts, 2.2).
func TestPingTeaches(t *testing.T) {
	n := newNetwork(t)
	n.UDP(joiner+":1040", host+":47624", sys(2300, &wire.EnumSessions{}))
	n.UDP(joiner+":1040", host+":1041", bare(1, 2, "not yet"))
	n.UDP(joiner+":6350", host+":6351", ping(1))
	n.UDP(joiner+":6350", host+":1050", bare(1, 2, "a"))
	n.UDP(other+":1050", host+":6351", bare(1, 2, "b"))
	n.UDP(joiner+":1040", host+":47624", bare(1, 2, "no"))
	g := n.read(captures.Options{})
	g.want(`
		[1] ENUMSESSIONS app={00000000-0000-0000-0000-000000000000} flags=0
		[3] PING from=0x00000005 tick=1
		[4] PLAYERMESSAGE from=0x00000001 to=0x00000002 payload=1 octets 61
		[5] PLAYERMESSAGE from=0x00000001 to=0x00000002 payload=1 octets 62`)
}

// TestKnownIDs: a datagram between players that are known is theirs, from and to whatever socket: only the
// ids identify the sender (facts, 3.14).
func TestKnownIDs(t *testing.T) {
	cases := []struct {
		name     string
		from, to wire.PlayerID
		ok       bool
	}{
		{"both known", 0x501, 0x502, true},
		{"to everybody", 0x502, 0, true},
		{"sender unknown", 0x503, 0x502, false},
		{"addressee unknown", 0x502, 0x503, false},
		{"from nobody", 0, 0x502, false},
		{"from nobody to everybody", 0, 0, false},
		{"addressee of another session", 0x501, 0x601, false},
		{"no player", 0xffffffff, 0, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			n := newNetwork(t)
			n.tcp(host+":1025", joiner+":2300").send(sys(2300, &wire.SuperEnumPlayersReply{
				Desc:    wire.SessionDesc{Instance: wire.GUID{1}},
				Players: []wire.SuperPackedPlayer{{ID: 0}, {ID: 0x501}, {ID: 0x502, ShortName: wire.NewText("Ann")}, {ID: 0xffffffff}},
			}))
			n.tcp(other+":1025", "10.0.0.4:2300").send(sys(2300, &wire.SuperEnumPlayersReply{
				Desc: wire.SessionDesc{Instance: wire.GUID{2}}, Players: []wire.SuperPackedPlayer{{ID: 0x601}},
			}))
			n.UDP(joiner+":1030", host+":1031", bare(c.from, c.to, "x"))
			n.UDP(joiner+":1030", host+":1031", bare(c.from, c.to, "x")[:7])
			g := n.read(captures.Options{})
			if c.ok {
				assert.Len(t, g.records, 3)
			} else {
				assert.Len(t, g.records, 2)
			}
		})
	}
}

// TestNames: what is known of a player grows; a later announcement without a name does not take it away.
func TestNames(t *testing.T) {
	n := newNetwork(t)
	c := n.tcp(host+":1025", joiner+":2300")
	say := func() { c.send(game(2300, 0x502, 0, "x")) }
	c.send(sys(2300, list("0.0.0.0:2300", "0.0.0.0:2350")))
	say()
	c.send(sys(2300, &wire.CreatePlayer{Info: wire.PackedPlayer{ID: 0x502}}))
	say()
	c.send(sys(2300, &wire.PlayerNameChanged{Player: 0x502, LongName: wire.NewText("Ann Boleyn")}))
	say()
	c.send(sys(2300, &wire.CreatePlayer{Info: wire.PackedPlayer{ID: 0x502, ShortName: wire.NewText("Bob"),
		LongName: wire.NewText("Robert")}}))
	say()
	c.send(sys(2300, &wire.CreateGroup{Info: wire.PackedPlayer{ID: 0x503, ShortName: wire.NewText("Team")}}))
	c.send(sys(2300, &wire.GroupNameChanged{Group: 0x503, ShortName: wire.NewText("Reds")}))
	c.send(game(2300, 0x502, 0x503, "x"))
	c.send(sys(2300, &wire.PlayerNameChanged{Player: 0x999, ShortName: wire.NewText("nobody")}))
	c.send(game(2300, 0x999, 0x503, "x"))
	g := n.read(captures.Options{})
	var said []string
	for _, r := range g.records {
		if r.text[:6] == "PLAYER" && r.text[6:13] == "MESSAGE" {
			said = append(said, r.text[len("PLAYERMESSAGE "):])
		}
	}
	assert.Equal(t, []string{
		`from=0x00000502 "Ann" to=all payload=1 octets 78`,
		`from=0x00000502 "Ann" to=all payload=1 octets 78`,
		`from=0x00000502 "Ann Boleyn" to=all payload=1 octets 78`,
		`from=0x00000502 "Bob" to=all payload=1 octets 78`,
		`from=0x00000502 "Bob" to=0x00000503 "Reds" payload=1 octets 78`,
		`from=0x00000999 to=0x00000503 "Reds" payload=1 octets 78`,
	}, said)
}

// TestWrappedTeaches: a player created in a message to a group is known.
func TestWrappedTeaches(t *testing.T) {
	n := newNetwork(t)
	c := n.tcp(joiner+":1025", host+":2300")
	c.send(sys(2300, &wire.Ask4Multicast{Group: 1, From: 2, Inner: wire.Inner{Version: 14, Message: &wire.CreatePlayer{
		Player: 5, Info: wire.PackedPlayer{ID: 5, ShortName: wire.NewText("Ann")}}}}))
	c.send(sys(2300, &wire.PlayerWrapper{Player: wire.PlayerMessage{From: 5, To: 0, Payload: []byte("wrapped")}}))
	g := n.read(captures.Options{})
	g.want(`
		[2] ASK4MULTICAST from=0x00000002 group=0x00000001 {CREATEPLAYER player=0x00000005 "Ann" flags=0}
		[3] PLAYERWRAPPER from=0x00000005 "Ann" to=all payload=7 octets 77726170706564`)
}
