package compat_test

import (
	"math/rand/v2"

	"dplay4/wire"
)

// A sample is one message as the oracle test puts it on the wire.
type sample struct {
	udp     bool
	version wire.Dialect
	message wire.Message
}

// samples returns a message of every command that tshark decodes fully. Every number, name and run of octets
// in it is drawn from d, so no two fields of it could be taken for each other.
func samples(d *draw) []sample {
	tcp := func(m wire.Message) sample { return sample{false, d.dialect(), m} }
	udp := func(m wire.Message) sample { return sample{true, d.dialect(), m} }
	return []sample{
		tcp(&wire.EnumSessionsReply{Desc: d.sessionDesc(), Name: d.text()}),
		// No gap between the flags and the password: tshark does not look at the offset (gap "offsets").
		udp(&wire.EnumSessions{Application: d.guid(), Flags: wire.EnumFlags(d.flags(0xFF)), Password: d.text()}),
		udp(&wire.EnumSessions{Application: d.guid(), Flags: wire.EnumFlags(d.flags(0xFF))}),
		tcp(&wire.RequestPlayerID{Flags: wire.PlayerFlags(d.flags(0x30F))}),
		tcp(&wire.RequestPlayerReply{ID: d.id(), Security: d.securityDesc(), Result: wire.HResult(d.u32()),
			SSPIProvider: d.text(), CAPIProvider: d.text()}),
		tcp(&wire.RequestPlayerReply{ID: d.id(), Security: d.securityDesc(), Result: wire.HResult(d.u32())}),
		tcp(&wire.CreatePlayer{To: d.id(), Player: d.id(), Group: d.id(), Info: d.packedPlayer()}),
		tcp(&wire.DeletePlayer{To: d.id(), Player: d.id(), Group: d.id()}),
		tcp(&wire.DeleteGroup{To: d.id(), Player: d.id(), Group: d.id()}),
		tcp(&wire.AddPlayerToGroup{To: d.id(), Player: d.id(), Group: d.id()}),
		tcp(&wire.DeletePlayerFromGroup{To: d.id(), Player: d.id(), Group: d.id()}),
		tcp(&wire.AddForwardRequest{To: d.id(), Player: d.id(), Group: d.id(), Info: d.packedPlayer(),
			Password: d.text(), Reserved1: d.u32()}),
		udp(&wire.Ping{From: d.id(), Tick: d.u32()}),
		udp(&wire.PingReply{From: d.id(), Tick: d.u32()}),
		tcp(&wire.SuperEnumPlayersReply{Desc: d.sessionDesc(), Name: d.text(), Password: d.text(),
			Players:   []wire.SuperPackedPlayer{d.superSystemPlayer(), d.superPlayer()},
			Groups:    []wire.SuperPackedPlayer{d.superGroup()},
			Shortcuts: []wire.SuperPackedPlayer{d.superGroup()}}),
	}
}

// A draw hands out values no two of which are equal, so that a value that turns up in the wrong field is
// noticed. Each number has four different octets, none of them zero, so that the order of octets shows, too.
type draw struct {
	rng  *rand.Rand
	seen map[uint32]bool
}

func newDraw(seed uint64) *draw {
	return &draw{rng: rand.New(rand.NewPCG(seed, 0x64706c61793400)), seen: map[uint32]bool{}}
}

func (d *draw) u32() uint32 {
	for {
		v := d.rng.Uint32()
		a, b, c, e := byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
		distinct := a != b && a != c && a != e && b != c && b != e && c != e
		if distinct && a != 0 && b != 0 && c != 0 && e != 0 && !d.seen[v] {
			d.seen[v] = true
			return v
		}
	}
}

// flags draws any of the bits of the mask.
func (d *draw) flags(mask uint32) uint32 { return d.rng.Uint32() & mask }

// dialect draws one that tshark and this project know by name.
func (d *draw) dialect() wire.Dialect { return wire.DX6 + wire.Dialect(d.rng.IntN(6)) }

func (d *draw) token() wire.Token {
	return [...]wire.Token{wire.TokenRemote, wire.TokenForward, wire.TokenServer}[d.rng.IntN(3)]
}

// algorithm draws one that both know by name, or none.
func (d *draw) algorithm() uint32 {
	return [...]uint32{0, 0x6601, 0x6602, 0x6603, 0x6611, 0x6801}[d.rng.IntN(6)]
}

func (d *draw) id() wire.PlayerID { return wire.PlayerID(d.u32()) }

// octets draws 4 to 12 octets.
func (d *draw) octets() []byte {
	b := make([]byte, 0, 12)
	for range 1 + d.rng.IntN(3) {
		v := d.u32()
		b = append(b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
	}
	return b
}

func (d *draw) guid() (g wire.GUID) {
	for i := 0; i < len(g); i += 4 {
		v := d.u32()
		g[i], g[i+1], g[i+2], g[i+3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
	}
	return g
}

// text draws a word of 4 to 9 letters of one script, in UTF-16.
func (d *draw) text() wire.Text {
	scripts := [...][2]rune{{'a', 'z'}, {'À', 'Ö'}, {'Ā', 'ż'}, {'А', 'я'}, {'一', '龥'}}
	for {
		s := scripts[d.rng.IntN(len(scripts))]
		word := make([]rune, 4+d.rng.IntN(6))
		sum := uint32(0x811C9DC5)
		for i := range word {
			word[i] = s[0] + rune(d.rng.IntN(int(s[1]-s[0]+1)))
			sum = (sum ^ uint32(word[i])) * 0x01000193
		}
		t := wire.NewText(string(word))
		if t.Encoding() == wire.UTF16 && !d.seen[sum] {
			d.seen[sum] = true
			return t
		}
	}
}

func (d *draw) sockAddr() wire.SockAddr {
	a, b, c := d.u32(), d.u32(), d.u32()
	s := wire.SockAddr{Family: wire.FamilyINet, Port: uint16(a), Addr: [4]byte{byte(a >> 24), byte(b), byte(b >> 8), byte(b >> 16)}}
	for i := range 4 {
		s.Zero[i] = byte(c >> (8 * i))
		s.Zero[4+i] = byte(c>>(8*i)) ^ 0xFF
	}
	return s
}

func (d *draw) spData() []byte {
	return wire.SPData{Stream: d.sockAddr(), Datagram: d.sockAddr()}.Append(nil)
}

func (d *draw) sessionDesc() wire.SessionDesc {
	return wire.SessionDesc{Flags: wire.SessionFlags(d.flags(0x3FFFF)), Instance: d.guid(), Application: d.guid(),
		MaxPlayers: d.u32(), CurrentPlayers: d.u32(), NamePointer: d.u32(), PasswordPointer: d.u32(),
		Reserved1: d.u32(), Reserved2: d.u32(), User: [4]uint32{d.u32(), d.u32(), d.u32(), d.u32()}}
}

func (d *draw) securityDesc() wire.SecurityDesc {
	return wire.SecurityDesc{Size: wire.SecurityDescSize, Flags: d.u32(), SSPIProvider: d.u32(), CAPIProvider: d.u32(),
		ProviderType: d.u32(), Algorithm: d.algorithm()}
}

func (d *draw) packedPlayer() wire.PackedPlayer {
	return wire.PackedPlayer{Flags: wire.PlayerFlags(d.flags(0xF)), ID: d.id(), System: d.id(), Version: uint32(d.dialect()),
		Parent: d.id(), ShortName: d.text(), LongName: d.text(), SPData: d.spData(), Data: d.octets(),
		PlayerIDs: []wire.PlayerID{d.id(), d.id()}}
}

func (d *draw) superSystemPlayer() wire.SuperPackedPlayer {
	flags := wire.PlayerFlags(d.flags(0xF)) | wire.PlayerSystem
	return wire.SuperPackedPlayer{Flags: flags, ID: d.id(), Owner: uint32(d.dialect()), SPData: d.spData()}
}

func (d *draw) superPlayer() wire.SuperPackedPlayer {
	flags := wire.PlayerFlags(d.flags(0xF)) &^ wire.PlayerSystem
	return wire.SuperPackedPlayer{Flags: flags, ID: d.id(), Owner: d.u32(), ShortName: d.text(), LongName: d.text(),
		Data: d.octets(), SPData: d.spData()}
}

func (d *draw) superGroup() wire.SuperPackedPlayer {
	p := d.superPlayer()
	p.PlayerIDs = []wire.PlayerID{d.id(), d.id(), d.id()}
	p.Parent = d.id()
	p.Shortcuts = []wire.PlayerID{d.id(), d.id()}
	return p
}
