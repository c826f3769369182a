package sim

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"net/netip"
	"slices"

	"dplay4/dpsp"
)

// record hashes what happened in a step.
func (w *World) record(l *lane, in *dpsp.Input, out *dpsp.Output) {
	b := w.scratch[:0]
	b = binary.LittleEndian.AppendUint64(b, uint64(w.now))
	b = append(b, byte(l.i), byte(in.Kind))
	b = appendAddr(b, in.From)
	b = append(b, in.Data...)
	if in.Kind == dpsp.Request {
		b = appendCommand(binary.LittleEndian.AppendUint64(b, in.Token), in.Command)
	}
	for i := range out.Sends {
		s := &out.Sends[i]
		b = appendAddr(append(b, byte(s.Transport)), s.To)
		b = append(b, s.Data...)
	}
	for _, c := range out.Close {
		b = appendAddr(b, c)
	}
	for _, ev := range out.Events {
		b = appendEvent(b, ev)
	}
	b = binary.LittleEndian.AppendUint64(b, uint64(out.Wake))
	w.hash.add(b)
	w.scratch = b
}

// A fingerprint tells runs apart that nobody made alike on purpose. The same octets give the same one in every process.
type fingerprint struct{ a, b uint64 }

// add adds octets, which are not the same as their parts one after the other.
func (f *fingerprint) add(octets []byte) {
	f.mix(uint64(len(octets)))
	for ; len(octets) >= 8; octets = octets[8:] {
		f.mix(binary.LittleEndian.Uint64(octets))
	}
	var rest [8]byte
	copy(rest[:], octets)
	f.mix(binary.LittleEndian.Uint64(rest[:]))
}

// mix adds a number. Different numbers give a different a, and so do different values of a before. b remembers the earlier ones.
func (f *fingerprint) mix(n uint64) {
	f.a = bits.RotateLeft64((f.a^n)*0x9E3779B97F4A7C15, 29)
	f.b = (bits.RotateLeft64(f.b, 31) ^ f.a) * 0xC2B2AE3D27D4EB4F
}

func (f *fingerprint) String() string { return fmt.Sprintf("%016x%016x", f.a, f.b) }

// appendAddr appends an address and port, zeros for an invalid one.
func appendAddr(b []byte, a netip.AddrPort) []byte {
	ip := a.Addr().As16()
	return binary.LittleEndian.AppendUint16(append(b, ip[:]...), a.Port())
}

// Package fmt takes most of a run's time if it writes every game message, so those are written by hand.

func appendCommand(b []byte, c dpsp.Command) []byte {
	switch c := c.(type) {
	case dpsp.Send:
		return append(appendNumbers(append(b, 1, flag(c.Guaranteed)), uint32(c.From), uint32(c.To)), c.Payload...)
	case dpsp.SetData:
		return append(appendNumbers(append(b, 2), uint32(c.ID)), c.Data...)
	case dpsp.SetName:
		b = appendNumbers(append(b, 3), uint32(c.ID))
		return append(append(b, c.ShortName...), c.LongName...)
	case dpsp.CreatePlayer:
		b = appendNumbers(append(b, 4), uint32(c.Flags))
		return append(append(append(b, c.ShortName...), c.LongName...), c.Data...)
	case dpsp.CreateObject:
		return append(append(b, 5), c.State...)
	case dpsp.AddToGroup:
		return appendNumbers(append(b, 6), uint32(c.Player), uint32(c.Group))
	case dpsp.CreateGroup:
		b = appendNumbers(append(b, 9), uint32(c.Flags), uint32(c.Parent))
		return append(append(append(b, c.ShortName...), c.LongName...), c.Data...)
	case dpsp.Chat:
		b = appendNumbers(append(b, 7, flag(c.Guaranteed)), uint32(c.From), uint32(c.To))
		return append(b, c.Text...)
	case dpsp.Enumerate:
		b = append(append(appendNumbers(append(b, 8), uint32(c.Flags)), c.Application[:]...), c.Password...)
		for _, to := range slices.Concat(c.To, c.Streams) {
			b = appendAddr(b, to)
		}
		return b
	}
	return fmt.Appendf(b, "%T%+v", c, c)
}

func appendEvent(b []byte, ev dpsp.Event) []byte {
	switch ev := ev.(type) {
	case dpsp.Message:
		return append(appendNumbers(append(b, 1, flag(ev.Guaranteed)), uint32(ev.From), uint32(ev.To), uint32(ev.Sent)), ev.Payload...)
	case dpsp.Done:
		b = binary.LittleEndian.AppendUint64(append(b, 2), ev.Token)
		b = appendNumbers(b, uint32(ev.ID), uint32(ev.Object.Creator), ev.Object.Number)
		if ev.Err != nil {
			b = append(b, ev.Err.Error()...)
		}
		return b
	case dpsp.PlayerCreated:
		b = appendNumbers(append(b, 3, flag(ev.Local)), uint32(ev.ID), uint32(ev.System), uint32(ev.Flags))
		return append(append(append(b, ev.ShortName...), ev.LongName...), ev.Data...)
	case dpsp.PlayerChanged:
		b = appendNumbers(append(b, 4, flag(ev.Renamed)), uint32(ev.ID))
		return append(append(append(b, ev.ShortName...), ev.LongName...), ev.Data...)
	case dpsp.ObjectUpdated:
		b = appendNumbers(append(b, 5), uint32(ev.ID.Creator), ev.ID.Number, uint32(ev.Owner))
		return append(b, ev.State...)
	case dpsp.PlayerDeleted:
		return append(appendNumbers(append(b, 6), uint32(ev.ID)), ev.Name...)
	case dpsp.GroupCreated:
		b = appendNumbers(append(b, 7, flag(ev.Local)), uint32(ev.ID), uint32(ev.System), uint32(ev.Flags), uint32(ev.Parent))
		return append(append(append(b, ev.ShortName...), ev.LongName...), ev.Data...)
	case dpsp.MemberAdded:
		return appendNumbers(append(b, 8), uint32(ev.Player), uint32(ev.Group))
	case dpsp.ChatMessage:
		b = appendNumbers(append(b, 10, flag(ev.Guaranteed)), uint32(ev.From), uint32(ev.To), uint32(ev.Sent))
		return append(b, ev.Text...)
	case dpsp.PeerJoined:
		return appendAddr(appendNumbers(append(b, 11), uint32(ev.System)), ev.Addr)
	case dpsp.GroupDeleted:
		return appendNumbers(append(b, 12), uint32(ev.ID))
	case dpsp.MemberRemoved:
		return appendNumbers(append(b, 13), uint32(ev.Player), uint32(ev.Group))
	case dpsp.ObjectCreated:
		b = appendNumbers(append(b, 14), uint32(ev.ID.Creator), ev.ID.Number, uint32(ev.Owner), ev.Counter)
		return append(b, ev.State...)
	case dpsp.ObjectMigrated:
		b = appendNumbers(append(b, 15), uint32(ev.ID.Creator), ev.ID.Number, uint32(ev.From), uint32(ev.To), ev.Counter)
		return append(b, ev.State...)
	case dpsp.ShortcutAdded:
		return appendNumbers(append(b, 16), uint32(ev.Parent), uint32(ev.Child))
	case dpsp.PeerLost:
		return append(append(appendNumbers(append(b, 17), uint32(ev.System)), ev.Cause...), ev.Reason...)
	case dpsp.SessionFound:
		d := &ev.Desc
		b = appendNumbers(append(b, 18, byte(ev.Encoding)), uint32(d.Flags), d.MaxPlayers, d.CurrentPlayers, d.Reserved1, d.Reserved2)
		b = append(append(appendNumbers(b, d.User[:]...), d.Instance[:]...), d.Application[:]...)
		return append(appendAddr(appendAddr(b, ev.Host), netip.AddrPortFrom(ev.From, 0)), ev.Name...)
	case dpsp.Dropped:
		b = append(appendAddr(append(b, 9), ev.From), ev.Command...)
		return append(append(b, ev.Reason...), ev.Text...)
	}
	return fmt.Appendf(b, "%T%+v", ev, ev)
}

func appendNumbers(b []byte, numbers ...uint32) []byte {
	for _, n := range numbers {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return b
}

func flag(set bool) byte {
	if set {
		return 1
	}
	return 0
}
