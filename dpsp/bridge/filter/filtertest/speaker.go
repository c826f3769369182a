// Package filtertest makes up what games say to each other, for tests of what passes it on.
package filtertest

import (
	"encoding/binary"
	"math/rand/v2"

	"dplay4/dpsp/bridge/filter"
	"dplay4/wire"
)

// A Speaker makes up what the game in a slot says that may pass, by a seed: the game's own octets, of any size, and messages of
// all kinds that are worth it.
type Speaker struct {
	R     *rand.Rand
	Self  filter.Ports   // of its slot
	Slots []filter.Ports // whom it may name
}

// Message returns a message of a stream.
func (s *Speaker) Message() []byte {
	if s.R.IntN(2) == 0 {
		return s.Framed(s.game(60_000))
	}
	return s.system()
}

// Datagram returns a datagram.
func (s *Speaker) Datagram() []byte {
	if s.R.IntN(3) == 0 {
		return s.system()
	}
	for {
		b := s.game(60_000)
		if len(b) > 0 && !wire.HasSignature(b) && (len(b) < wire.SPHeaderSize || !wire.HasSignature(b[wire.SPHeaderSize:])) {
			return b
		}
	}
}

// system returns a system message.
func (s *Speaker) system() []byte {
	for {
		b, err := wire.AppendMessage(nil, wire.Dialect(9+s.R.IntN(6)), s.message(0))
		if err == nil && len(b) < 50_000 { // else it is too much in too much
			return s.Framed(b)
		}
	}
}

// Framed puts an SP header before octets.
func (s *Speaker) Framed(b []byte) []byte {
	size := wire.SPHeaderSize + len(b)
	head := binary.LittleEndian.AppendUint32(nil, uint32(size)|uint32(wire.TokenRemote)<<20)
	head = append(head, wire.FamilyINet, 0)
	head = binary.BigEndian.AppendUint16(head, s.Self.TCP)
	return append(append(append(head, s.address()...), 0, 0, 0, 0, 0, 0, 0, 0), b...)
}

// address is where it says that it is: where it comes from, or on this machine.
func (s *Speaker) address() []byte { return [][]byte{{0, 0, 0, 0}, {127, 0, 0, 1}}[s.R.IntN(2)] }

// game returns a game's own octets, in which the signature may stand behind their beginning.
func (s *Speaker) game(most int) []byte {
	b := s.octets([]int{0, 3, 40, 1400, most}[s.R.IntN(5)])
	if len(b) > 8 && s.R.IntN(3) == 0 {
		copy(b[1+s.R.IntN(len(b)-4):], "play")
	}
	if wire.HasSignature(b) {
		b[0]++
	}
	return b
}

// octets returns up to so many.
func (s *Speaker) octets(most int) []byte {
	b := make([]byte, s.R.IntN(most+1))
	for i := range b {
		b[i] = byte(s.R.Uint32())
	}
	return b
}

func (s *Speaker) id() wire.PlayerID { return wire.PlayerID(s.R.Uint32()) }

func (s *Speaker) text() wire.Text {
	return []wire.Text{nil, wire.NewText("x"), wire.NewText("Zoë"), wire.NewText8("Nobleman"), wire.NewText("")}[s.R.IntN(5)]
}

// ids returns some ids, none as a rule.
func (s *Speaker) ids() (all []wire.PlayerID) {
	for range max(0, s.R.IntN(8)-4) {
		all = append(all, s.id())
	}
	return all
}

// sockets is the data of a service provider.
func (s *Speaker) sockets() []byte {
	p := s.Slots[s.R.IntN(len(s.Slots))]
	d := wire.SPData{Stream: wire.SockAddr{Family: wire.FamilyINet, Port: p.TCP}, Datagram: wire.SockAddr{Family: wire.FamilyINet, Port: p.UDP}}
	copy(d.Stream.Addr[:], s.address())
	copy(d.Datagram.Addr[:], s.address())
	if s.R.IntN(2) == 0 {
		d.Mark()
	}
	return [][]byte{d.Append(nil), d.Append(nil), d.Append(nil), nil, make([]byte, wire.SPDataSize)}[s.R.IntN(5)]
}

func (s *Speaker) packed() wire.PackedPlayer {
	return wire.PackedPlayer{Flags: wire.PlayerFlags(s.R.IntN(16)), ID: s.id(), System: s.id(), Version: s.R.Uint32(), Parent: s.id(),
		ShortName: s.text(), LongName: s.text(), SPData: s.sockets(), Data: s.octets(300), PlayerIDs: s.ids()}
}

func (s *Speaker) superPacked() wire.SuperPackedPlayer {
	return wire.SuperPackedPlayer{Flags: wire.PlayerFlags(s.R.IntN(16)), ID: s.id(), Owner: s.R.Uint32(), ShortName: s.text(),
		LongName: s.text(), SPData: s.sockets(), Data: s.octets(300), PlayerIDs: s.ids(), Parent: s.id(), Shortcuts: s.ids()}
}

func (s *Speaker) desc() (d wire.SessionDesc) {
	d.Flags, d.MaxPlayers, d.NamePointer, d.User[2] = wire.SessionFlags(s.R.Uint32()), s.R.Uint32(), s.R.Uint32(), s.R.Uint32()
	return d
}
