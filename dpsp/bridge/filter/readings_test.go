package filter

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// evil is an address outside every plan.
var evil = wire.SPData{Stream: wire.SockAddr{Family: wire.FamilyINet, Port: 9999, Addr: [4]byte{192, 0, 2, 2}},
	Datagram: wire.SockAddr{Family: wire.FamilyINet, Port: 9999, Addr: [4]byte{192, 0, 2, 2}}}.Append(nil)

// clean is one of the plan.
var clean = wire.SPData{Stream: wire.SockAddr{Family: wire.FamilyINet, Port: 2301},
	Datagram: wire.SockAddr{Family: wire.FamilyINet, Port: 2351}}.Append(nil)

// octets encodes a message.
func octets(t testing.TB, m wire.Message) []byte {
	t.Helper()
	b, err := wire.AppendMessage(nil, wire.DX9, m)
	require.NoError(t, err)
	return b
}

// packed encodes a packed player.
func packed(t testing.TB, p wire.PackedPlayer) []byte {
	t.Helper()
	return octets(t, &wire.AddForward{Info: p})[28:]
}

// put writes a number into a message.
func put(b []byte, at, value int) []byte {
	binary.LittleEndian.PutUint32(b[at:], uint32(value))
	return b
}

// join puts octets one behind the other.
func join(parts ...[]byte) (b []byte) {
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}

// twoReadings are messages in which package wire finds addresses of the plan, and somebody who reads them otherwise finds evil.
func twoReadings(t testing.TB) map[string][]byte {
	t.Helper()
	good, bad := packed(t, wire.PackedPlayer{ID: 7, SPData: clean}), evilPlayer
	all := map[string][]byte{}
	for name, c := range map[string]wire.Command{"ADDFORWARD": wire.CmdAddForward, "CREATEPLAYER": wire.CmdCreatePlayer,
		"CREATEGROUP": wire.CmdCreateGroup, "CREATEPLAYERVERIFY": wire.CmdCreatePlayerVerify,
		"ADDFORWARDREQUEST": wire.CmdAddForwardRequest} {
		head := octets(t, &wire.AddForward{Info: wire.PackedPlayer{ID: 7}})[:28]
		binary.LittleEndian.PutUint16(head[4:], uint16(c))
		put(head, 20, 28+len(bad))
		rest := []byte{0, 0, 0, 0, 0, 0}
		all["another player where "+name+" begins"] = join(head, bad, good, rest)
		put(head, 20, 28+4) // who begins at 28 takes what is the id for the length of a name
		hidden := packed(t, wire.PackedPlayer{ID: 4 + 32 + 32, LongName: wire.NewText("fifteen letters"), SPData: clean, Data: evil})
		all["zeros before the player of "+name] = join(head, make([]byte, 4), hidden, rest)
	}
	for name, c := range map[string]wire.Command{"ADDPLAYERTOGROUP": wire.CmdAddPlayerToGroup, "DELETEPLAYER": wire.CmdDeletePlayer} {
		head := octets(t, &wire.AddForward{Info: wire.PackedPlayer{ID: 7}})[:28]
		binary.LittleEndian.PutUint16(head[4:], uint16(c))
		all["a player in "+name] = join(head, bad)
	}
	list := &wire.EnumPlayersReply{Players: []wire.PackedPlayer{
		{ID: 7, SPData: clean, Data: join(bad, make([]byte, 80))}, {ID: 8, SPData: clean}}}
	b := octets(t, list)
	all["the size of a player of ENUMPLAYERSREPLY"] = put(b, int(binary.LittleEndian.Uint32(b[16:])), 80)
	list.Players[0] = wire.PackedPlayer{ID: 7, SPData: clean, PlayerIDs: []wire.PlayerID{1, 2, 3, 4}}
	b = octets(t, list)
	all["the ids in the size of a player of ENUMPLAYERSREPLY"] = put(b, int(binary.LittleEndian.Uint32(b[16:])), 80+4*4)
	super := &wire.SuperEnumPlayersReply{Players: []wire.SuperPackedPlayer{
		{ID: 7, Data: join([]byte{0, 32}, evil), SPData: clean}}}
	b = octets(t, super)
	all["the size of a player of SUPERENUMPLAYERSREPLY"] = put(b, int(binary.LittleEndian.Uint32(b[16:])), 16+1)
	named := wire.PackedPlayer{ID: 7, ShortName: join([]byte("a\x00\x00\x00"), evil, []byte{0, 0}), SPData: clean}
	all["a name that ends before its length"] = octets(t, &wire.AddForward{Info: named})

	inner, other := evilMessage, octets(t, &wire.AddForward{Info: wire.PackedPlayer{ID: 7, SPData: clean}})
	all["another message where ASK4MULTICAST has its own"] = join(put(octets(t, &wire.Ask4Multicast{})[:20], 16, 20+len(inner)), inner, other)
	all["another message where SIGNED has its own"] = join(put(put(octets(t, &wire.Signed{})[:28], 12, 28+len(inner)), 16, len(other)),
		inner, other)
	for name, p := range map[string]wire.Message{"PACKET": &wire.Packet{Total: 1}, "PACKET2_DATA": &wire.Packet2Data{Total: 1}} {
		head := octets(t, p)[:48]
		put(put(head, 28, len(other)), 40, len(other))
		all["another message where "+name+" has its own"] = join(put(head, 44, 48+len(inner)), inner, other)
		first := put(put(put(put(join(head), 28, len(inner)), 36, 2), 40, 3000), 44, 48+len(inner))
		all["another fragment where "+name+" has its own"] = join(first, inner, make([]byte, len(inner)))
		put(put(put(head, 28, len(inner)), 40, 3000), 44, 48)
		all["one fragment that is not all in "+name] = join(put(put(join(head), 24, 1), 32, 16), inner)
		put(put(put(head, 40, len(inner)), 36, 2), 24, 1)
		all["many fragments of which one is all in "+name] = join(put(head, 32, 16), inner)
	}
	return all
}

// TestWhere: the violation is the first field that is not where it should be.
func TestWhere(t *testing.T) {
	plan := NewPlan(Ports{2300, 2350}, Ports{2301, 2351})
	rule := Rule{From: Ports{2301, 2351}, Plan: func() *Plan { return plan }}
	b := twoReadings(t)["another player where ADDFORWARD begins"]
	_, err := NewStream(rule, nil).Pass(nil, append(headOf(len(b)), b...))
	assert.EqualError(t, err, "ADDFORWARD.PlayerInfo at octet 128: it is not where the specification has it")
	b = octets(t, &wire.SuperEnumPlayersReply{Players: []wire.SuperPackedPlayer{{SPData: clean}}})
	_, err = NewStream(rule, nil).Pass(nil, append(headOf(len(b)), put(b, 36, 81)...))
	assert.EqualError(t, err, "SUPERENUMPLAYERSREPLY.InstanceGUID at octet 64: the size of its structure is not what that comes to")
}

// TestTwoReadings: what can be read in two ways does not pass, also inside other messages.
func TestTwoReadings(t *testing.T) {
	plan := NewPlan(Ports{2300, 2350}, Ports{2301, 2351})
	rule := Rule{From: Ports{2301, 2351}, Plan: func() *Plan { return plan }}
	for name, b := range twoReadings(t) {
		assert.NotEmpty(t, strays(plan, b), "%s: no reader finds it", name)
		for _, b := range [][]byte{b, octets(t, &wire.MulticastDelivery{Inner: wire.Inner{Octets: b}}),
			octets(t, &wire.Signed{Inner: wire.Inner{Octets: b}})} {
			raw := append(headOf(len(b)), b...)
			got, err := NewStream(rule, nil).Pass(nil, raw)
			var v *Violation
			assert.ErrorAs(t, err, &v, name)
			assert.Zero(t, len(got), name)
			assert.Error(t, NewDatagrams(rule).Check(raw), name)
		}
	}
}

// strays are the addresses outside the plan that readers find in a message, from its signature on.
func strays(plan *Plan, b []byte) (all []wire.SockAddr) {
	for _, r := range readers {
		found, udp := r.read(b)
		for i, a := range found {
			if leads(plan, a, udp[i]) {
				all = append(all, a)
			}
		}
	}
	return all
}

// leads reports whether an address leads to what is outside the plan, for somebody who looks at no family.
func leads(plan *Plan, a wire.SockAddr, udp bool) bool {
	near := a.Addr == [4]byte{} || a.Addr == [4]byte{127, 0, 0, 1}
	return !near || a.Port != 0 && !plan.has(a.Port, udp)
}
