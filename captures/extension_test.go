package captures_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/hostmigrate"
	"dplay4/playerlist"
	"dplay4/wire"
	"dplay4/wire/dpl8"
)

// ext is a message of the extension from a machine that listens on TCP 2300.
func ext(from wire.PlayerID, b wire.ExtensionBody) []byte {
	return sys(2300, wire.NewExtension(from, b))
}

// inTable is a message of the name table.
func inTable(t testing.TB, m dpl8.Message) wire.ExtensionBody {
	b, err := dpl8.Append(nil, m)
	require.NoError(t, err)
	return &wire.ExtensionTable{Message: b}
}

// TestExtensionFindings: the extension is not an unknown command, but what is odd inside one is found, with its place
// in the record. SP header 20, header 8, Release, Kind and IDFrom 8: the body begins at octet 36.
func TestExtensionFindings(t *testing.T) {
	destroy, err := dpl8.Append(nil, &dpl8.DestroyPlayer{Leaving: 5, Version: 1})
	require.NoError(t, err)
	cases := []struct {
		name    string
		message wire.Message
		command string
		want    []captures.Finding
	}{
		{"hello", wire.NewExtension(5, &wire.ExtensionHello{}), "EXTENSION HELLO", nil},
		{"a table message", wire.NewExtension(5, &wire.ExtensionTable{Message: destroy}), "EXTENSION TABLE DESTROY_PLAYER", nil},
		{"an empty table message", wire.NewExtension(5, &wire.ExtensionTable{}), "EXTENSION TABLE",
			[]captures.Finding{{Code: captures.MessageMalformed, Field: "MESSAGE.dwPacketType", Offset: 36}}},
		{"one cut short", wire.NewExtension(5, &wire.ExtensionTable{Message: destroy[:10]}), "EXTENSION TABLE DESTROY_PLAYER",
			[]captures.Finding{{Code: captures.MessageMalformed, Field: "DESTROY_PLAYER.dwVersion", Offset: 44}}},
		{"one with stray octets", wire.NewExtension(5, inTable(t, &dpl8.Unknown{ID: 0x50, Body: []byte{1, 2}})),
			"EXTENSION TABLE UNKNOWN(0x00000050)", []captures.Finding{{Code: captures.UnknownCommand, Field: "dwPacketType", Offset: 36}}},
		{"operations", wire.NewExtension(5, inTable(t, &dpl8.AckNameTableOp{Operations: []dpl8.Operation{
			{ID: dpl8.TypeDestroyPlayer, Octets: destroy[4:9]}, {Message: &dpl8.DestroyPlayer{}}, {ID: 0x50, Octets: []byte{1}},
		}})), "EXTENSION TABLE ACK_NAMETABLE_OP",
			[]captures.Finding{{Code: captures.MessageMalformed, Field: "DESTROY_PLAYER.dwVersion", Offset: 101},
				{Code: captures.UnknownCommand, Field: "Operations[2].dwMsgId", Offset: -1}}},
		{"a view", wire.NewExtension(5, &wire.ExtensionView{Step: wire.ViewLog, Ops: [][]byte{destroy, destroy[:10]}}), "EXTENSION VIEW LOG",
			[]captures.Finding{{Code: captures.MessageMalformed, Field: "Operations[1].Message", Offset: 36 + 124 + 4 + 20 + 4}}},
		{"a kind of another time", &wire.Extension{Release: 1, Kind: 0x99, From: 5, Octets: []byte{1}}, "EXTENSION UNKNOWN(0x0099)",
			[]captures.Finding{{Code: captures.UnknownCommand, Field: "Kind", Offset: 30}}},
		{"a known kind of another release", &wire.Extension{Release: 2, Kind: wire.KindHello, From: 5}, "EXTENSION UNKNOWN(0x0001)",
			[]captures.Finding{{Code: captures.UnknownCommand, Field: "Kind", Offset: 30}}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			n := newNetwork(t)
			n.UDP(joiner+":2350", host+":2350", sys(2300, c.message))
			seen := 0
			sum := n.count(func(r *captures.Record) {
				seen++
				assert.Equal(t, c.command, r.Command())
				assert.NoError(t, r.Err, "the message itself decodes")
				require.Len(t, r.Findings, len(c.want), "%v", r.Findings)
				for i, f := range r.Findings {
					assert.NotEmpty(t, f.Text)
					assert.Equal(t, c.want[i], captures.Finding{Code: f.Code, Field: f.Field, Offset: f.Offset})
				}
				requireSameOctets(t, r)
			})
			assert.Equal(t, 1, seen)
			requireBalanced(t, sum)
			assert.Equal(t, sum.UDP.Octets, sum.UDP.Decoded)
		})
	}
}

// TestExtensionCutShort: a message that ends before it says its kind.
func TestExtensionCutShort(t *testing.T) {
	n := newNetwork(t)
	b := ext(5, &wire.ExtensionHello{})[:30]
	b[0] = byte(len(b))
	n.UDP(joiner+":2350", host+":2350", b)
	n.count(func(r *captures.Record) {
		assert.Equal(t, "EXTENSION", r.Command())
		assert.Error(t, r.Err)
		assert.Equal(t, captures.MessageMalformed, r.Findings[0].Code)
	})
}

// TestHostLearnt: the list, IAMNAMESERVER and REJOINAT say who is host. A claim does if nobody is known to be.
func TestHostLearnt(t *testing.T) {
	desc := wire.SessionDesc{Instance: wire.GUID{1}}
	n := newNetwork(t)
	h := n.tcp(host+":1025", joiner+":2300")
	h.send(sys(2300, &wire.SuperEnumPlayersReply{Desc: desc, Name: wire.NewText("s"), Players: []wire.SuperPackedPlayer{
		{ID: 0x501, Flags: wire.PlayerSystem | wire.PlayerNameServer, SPData: spData("0.0.0.0:2300", "0.0.0.0:2350")},
		{ID: 0x601, Flags: wire.PlayerSystem, SPData: spData(joiner+":2300", joiner+":2350")},
	}}))
	j := n.tcp(joiner+":1026", host+":2300")
	j.send(sys(2300, &wire.IAmNameServer{To: 0x501, Host: 0x601, SPData: spData("0.0.0.0:2300", "0.0.0.0:2350")}))
	n.UDP(host+":2350", joiner+":2350", ext(0x501, &wire.ExtensionClaim{Instance: wire.GUID{1}, Stream: sockAddr("0.0.0.0:2300")}))
	h.send(ext(0x501, &wire.ExtensionRejoinAt{Host: 0x701, Stream: sockAddr("10.0.0.7:2300")}))
	h.send(sys(2300, &wire.IAmNameServer{Host: wire.IDUnknown}))
	var hosts []wire.PlayerID
	n.count(func(r *captures.Record) {
		assert.Equal(t, "s", r.Session.Name, r.Command())
		hosts = append(hosts, r.Session.Host)
		for _, id := range []wire.PlayerID{0x501, 0x601} {
			assert.Equal(t, id == r.Session.Host, r.Session.Player(id).Flags&wire.PlayerNameServer != 0, "%s after %s", id, r.Command())
		}
	})
	late := newNetwork(t)
	late.UDP(host+":2350", joiner+":2350",
		ext(0x501, &wire.ExtensionClaim{Instance: wire.GUID{1}, Stream: sockAddr("0.0.0.0:2300")}))
	late.count(func(r *captures.Record) { assert.EqualValues(t, 0x501, r.Session.Host) })
	assert.Equal(t, []wire.PlayerID{0x501, 0x601, 0x601, 0x701, 0x701}, hosts)
}

// TestExtensionTeaches: of a capture that begins late, the messages of the extension tell sockets, names and the session.
func TestExtensionTeaches(t *testing.T) {
	entry := func(id dpl8.DPNID, name string) dpl8.Entry { return dpl8.Entry{ID: id, Name: wire.NewText(name)} }
	operations := &dpl8.AckNameTableOp{Operations: []dpl8.Operation{{Message: &dpl8.AddPlayer{Entry: entry(6, "Bob")}}}}
	info := &dpl8.SendConnectInfo{Instance: wire.GUID{1}, SessionName: wire.NewText("s"),
		Table: dpl8.NameTable{Entries: []dpl8.Entry{entry(6, "Bob")}}}
	at := sockAddr("10.0.0.9:6300")
	for _, c := range []struct {
		name string
		body wire.ExtensionBody
		bob  bool
	}{
		{"ADD_PLAYER", inTable(t, &dpl8.AddPlayer{Entry: entry(6, "Bob")}), true},
		{"ACK_NAMETABLE_OP", inTable(t, operations), true},
		{"SEND_CONNECT_INFO", inTable(t, info), true},
		{"HELLO", &wire.ExtensionHello{}, false},
		{"REJOIN", &wire.ExtensionRejoin{Instance: wire.GUID{1}, SPData: spData("10.0.0.9:6300", "10.0.0.9:6350")}, false},
		{"CLAIM", &wire.ExtensionClaim{Instance: wire.GUID{1}, Stream: at}, false},
		{"REJOINAT", &wire.ExtensionRejoinAt{Host: 5, Stream: at}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := newNetwork(t)
			h := n.tcp(host+":1025", joiner+":2300")
			h.send(ext(5, c.body))
			h.send(sys(2300, &wire.PlayerNameChanged{Player: 6}))
			j := n.tcp(joiner+":1026", host+":2300")
			j.send(game(2300, 6, 5, "x"))
			var names []string
			n.count(func(r *captures.Record) {
				require.NotNil(t, r.Session)
				names = append(names, r.Session.PlayerName(6))
			})
			want := []string{"", "", ""}
			if c.bob {
				want = []string{"Bob", "", ""} // until it lost its name
			}
			assert.Equal(t, want, names)
		})
	}
	n := newNetwork(t)
	n.tcp(host+":1025", joiner+":2300").send(ext(5, inTable(t, info)))
	n.tcp(joiner+":1026", host+":2300").send(sys(2300, described(1, "s", noIDs)), game(2300, 6, 5, "x"))
	sessions := map[*captures.Session]bool{}
	n.count(func(r *captures.Record) {
		sessions[r.Session] = true
		assert.Equal(t, "s", r.Session.Name)
		assert.Equal(t, wire.GUID{1}, r.Session.Instance)
	})
	assert.Len(t, sessions, 1, "the description that comes later is that of the same session")
}

// TestLearnView: the host and the names come from messages about views where no other message has them.
func TestLearnView(t *testing.T) {
	ops := func(all ...playerlist.Op) (list [][]byte) {
		for _, op := range all {
			b, err := hostmigrate.AppendOperation(nil, playerlist.Numbered{Version: 1, Op: op})
			require.NoError(t, err)
			list = append(list, b)
		}
		return list
	}
	leader := wire.ViewMember{System: 5, Incarnation: 7, Stream: wire.SockAddr{Family: wire.FamilyINet, Port: 2300}}
	n := newNetwork(t)
	say := func(m *wire.ExtensionView) {
		m.From, m.View = leader, wire.View{Epoch: 2, Leader: 5, Incarnation: 7}
		n.UDP(host+":2350", joiner+":2350", ext(5, m))
	}
	ann := playerlist.Entry{ID: 9, System: 5, ShortName: wire.NewText("Ann")}
	say(&wire.ExtensionView{Step: wire.ViewAck, Ops: ops(playerlist.SetHost{ID: 6}, playerlist.DeletePlayer{ID: 7},
		playerlist.SetName{ID: 8, ShortName: wire.NewText("Bob")}, playerlist.AddPlayer{Entry: ann})})
	say(&wire.ExtensionView{Step: wire.ViewInstall, Ops: ops(playerlist.SetHost{ID: 5}, playerlist.SetName{ID: 9, ShortName: wire.NewText("Eve")})})
	var hosts, stays []wire.PlayerID
	var names []string
	var s *captures.Session
	n.count(func(r *captures.Record) {
		s = r.Session
		hosts, names = append(hosts, r.Session.Host), append(names, r.Session.Player(9).Name)
		assert.Equal(t, host+":2300", r.Session.Player(5).Machine.String())
	})
	for _, p := range s.Stays() {
		stays = append(stays, p.ID)
	}
	assert.Equal(t, []wire.PlayerID{5, 9}, stays, "nor a player of one that it deleted or named before")
	assert.Equal(t, []wire.PlayerID{0, 5}, hosts, "what a member says of the session does not make a host")
	assert.Equal(t, []string{"Ann", "Eve"}, names)
}
