package captures_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// A damageFrame is one frame of a capture: when it came, in microseconds, and its octets with the Ethernet header.
type damageFrame struct {
	at   uint64
	data []byte
}

// A damager makes damaged captures of sound ones.
type damager struct {
	names []string
	files [][]byte        // as they are
	all   [][]damageFrame // their frames; nil of those that are no plain pcap
	rnd   *rand.Rand
}

// newDamager takes the project's captures of at most so many octets.
func newDamager(t testing.TB, most int) *damager {
	d := &damager{}
	names, err := filepath.Glob("*/*.pcap*")
	require.NoError(t, err)
	for _, name := range names {
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		if len(b) <= most {
			d.names, d.files, d.all = append(d.names, name), append(d.files, b), append(d.all, framesOf(b))
		}
	}
	require.GreaterOrEqual(t, len(d.names), 20)
	return d
}

// framesOf reads a plain pcap of this machine's kind: little-endian, microseconds.
func framesOf(b []byte) (list []damageFrame) {
	le := binary.LittleEndian
	if le.Uint32(b) != 0xa1b2c3d4 {
		return nil
	}
	for b = b[24:]; len(b) >= 16; {
		n := int(le.Uint32(b[8:]))
		list = append(list, damageFrame{uint64(le.Uint32(b))*1e6 + uint64(le.Uint32(b[4:])), b[16 : 16+n]})
		b = b[16+n:]
	}
	return list
}

// make makes the damaged capture of a seed: always the same one, as long as the captures of the project are.
func (d *damager) make(seed uint64) []byte {
	d.rnd = rand.New(rand.NewPCG(seed, 0xda4a6e))
	i := d.rnd.IntN(len(d.files))
	frames := slices.Clone(d.all[i])
	if frames == nil || d.rnd.IntN(4) == 0 {
		b := bytes.Clone(d.files[i])
		for range 1 + d.rnd.IntN(3) {
			b = d.octets(b)
		}
		return b
	}
	for range 1 + d.rnd.IntN(3) {
		frames = d.frames(frames)
	}
	var b []byte
	if d.rnd.IntN(2) == 0 {
		b = d.pcap(frames)
	} else {
		b = d.pcapng(frames)
	}
	if d.rnd.IntN(8) == 0 {
		b = d.octets(b)
	}
	return b
}

// octets damages a file without regard to what is in it: flips bits, overwrites words, cuts, doubles a part.
func (d *damager) octets(b []byte) []byte {
	if len(b) < 8 {
		return b
	}
	switch d.rnd.IntN(5) {
	case 0, 1:
		for range 1 + d.rnd.IntN(40) {
			b[d.rnd.IntN(len(b))] ^= 1 << d.rnd.IntN(8)
		}
	case 2:
		for range 1 + d.rnd.IntN(4) {
			binary.LittleEndian.PutUint32(b[d.rnd.IntN(len(b)-4):], uint32(d.extreme()))
		}
	case 3:
		b = b[:d.rnd.IntN(len(b))]
	case 4:
		i := d.rnd.IntN(len(b))
		j := i + d.rnd.IntN(len(b)-i)
		b = slices.Insert(b, d.rnd.IntN(len(b)), bytes.Clone(b[i:j])...)
	}
	return b
}

// extreme returns a value at an end of what some field can hold, or beside it.
func (d *damager) extreme() uint64 {
	ends := [...]uint64{0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x10000, 0xfffff, 0x100000, math.MaxInt32,
		1 << 31, math.MaxUint32, math.MaxInt64, 1 << 63, math.MaxUint64, math.MaxUint64 - 1}
	return ends[d.rnd.IntN(len(ends))]
}

// frames damages a capture frame by frame: in one field of one header, in the order, in the times, with another capture.
func (d *damager) frames(list []damageFrame) []damageFrame {
	if len(list) == 0 {
		return list
	}
	i := d.rnd.IntN(len(list))
	switch d.rnd.IntN(8) {
	case 0, 1, 2:
		list[i].data = d.field(bytes.Clone(list[i].data))
	case 3:
		list[i].at = d.extreme()
	case 4:
		for j, at := i, d.extreme(); j < len(list); j++ {
			list[j].at += at
		}
	case 5: // with another one, in a piece or frame by frame
		other := d.all[d.rnd.IntN(len(d.all))]
		if d.rnd.IntN(2) == 0 {
			return append(list[:i:i], other...)
		}
		for j := range other {
			list = slices.Insert(list, min(len(list), i+2*j), other[j])
		}
	case 6:
		j := d.rnd.IntN(len(list))
		list[i], list[j] = list[j], list[i]
	case 7:
		list = slices.Delete(list, i, min(len(list), i+1+d.rnd.IntN(5)))
	}
	return list
}

// field puts an extreme into one field of the headers of Ethernet, IP, UDP, TCP or DirectPlay, or cuts the frame.
func (d *damager) field(b []byte) []byte {
	be := binary.BigEndian
	if len(b) == 0 {
		return b
	}
	at, size := d.rnd.IntN(len(b)), 1<<d.rnd.IntN(3) // wherever it is
	if len(b) > 14+20 && be.Uint16(b[12:]) == 0x0800 {
		transport := 14 + int(b[14]&15)*4
		payload := transport + 8
		if b[23] == 6 && len(b) > transport+13 {
			payload = transport + int(b[transport+12]>>4)*4
		}
		switch d.rnd.IntN(8) {
		case 0: // of IP: version and length, total length, identification, fragment, protocol, addresses
			at, size = 14+[...]int{0, 2, 4, 6, 9, 12, 16}[d.rnd.IntN(7)], [...]int{1, 2, 2, 2, 1, 4, 4}[d.rnd.IntN(7)]
		case 1: // of TCP: ports, numbers, flags; of UDP its length
			at, size = transport+[...]int{0, 2, 4, 8, 12, 13, 14}[d.rnd.IntN(7)], [...]int{1, 2, 4}[d.rnd.IntN(3)]
		case 2, 3, 4: // the header of DirectPlay: size, address, signature, command, version
			at, size = payload+[...]int{0, 4, 6, 8, 20, 24, 26}[d.rnd.IntN(7)], [...]int{2, 4}[d.rnd.IntN(2)]
		case 5, 6: // a word of the message
			at, size = payload+28+4*d.rnd.IntN(24), 4
		case 7:
			return b[:d.rnd.IntN(len(b))]
		}
	}
	if at+size > len(b) {
		return b[:at%len(b)]
	}
	var v [8]byte
	binary.LittleEndian.PutUint64(v[:], d.extreme())
	copy(b[at:at+size], v[:])
	return b
}

// pcap writes frames as pcap, and sometimes with a field of the file's headers at an extreme.
func (d *damager) pcap(list []damageFrame) []byte {
	le := binary.LittleEndian
	b := le.AppendUint32(nil, [...]uint32{0xa1b2c3d4, 0xa1b23c4d}[d.rnd.IntN(2)])
	b = le.AppendUint16(le.AppendUint16(b, 2), 4)
	b = append(b, make([]byte, 8)...)
	b = le.AppendUint32(le.AppendUint32(b, 262144), 1)
	bad := d.rnd.IntN(4 * (len(list) + 1))
	for i, f := range list {
		head := [4]uint32{uint32(f.at / 1e6), uint32(f.at % 1e6), uint32(len(f.data)), uint32(len(f.data))}
		if i == bad {
			head[d.rnd.IntN(4)] = uint32(d.extreme())
		}
		for _, v := range head {
			b = le.AppendUint32(b, v)
		}
		b = append(b, f.data...)
	}
	if bad == len(list) {
		le.PutUint32(b[4*d.rnd.IntN(6):], uint32(d.extreme()))
	}
	return b
}

// pcapng writes frames as pcapng, with any clock, and sometimes with a field of a block at an extreme.
func (d *damager) pcapng(list []damageFrame) []byte {
	le := binary.LittleEndian
	var b []byte
	block := func(kind uint32, body []byte) {
		for len(body)%4 != 0 {
			body = append(body, 0)
		}
		n := uint32(len(body) + 12)
		b = le.AppendUint32(append(le.AppendUint32(le.AppendUint32(b, kind), n), body...), n)
	}
	section := le.AppendUint32(nil, 0x1a2b3c4d)
	section = le.AppendUint16(le.AppendUint16(section, 1), 0)
	block(0x0a0d0d0a, le.AppendUint64(section, math.MaxUint64))
	card := le.AppendUint32(le.AppendUint16(le.AppendUint16(nil, 1), 0), 262144)
	switch d.rnd.IntN(4) {
	case 0:
		resolution := [...]byte{0, 1, 3, 6, 9, 18, 19, 20, 0x7f, 0x80, 0x81, 0x8a, 0xbf, 0xc0, 0xff}[d.rnd.IntN(15)]
		card = append(le.AppendUint16(le.AppendUint16(card, 9), 1), resolution, 0, 0, 0)
	case 1:
		card = le.AppendUint64(le.AppendUint16(le.AppendUint16(card, 14), 8), d.extreme())
	}
	block(1, card)
	bad := d.rnd.IntN(2*len(list) + 1)
	for i, f := range list {
		head := [5]uint32{0, uint32(f.at >> 32), uint32(f.at), uint32(len(f.data)), uint32(len(f.data))}
		if i == bad {
			head[d.rnd.IntN(5)] = uint32(d.extreme())
		}
		var body []byte
		for _, v := range head {
			body = le.AppendUint32(body, v)
		}
		block(6, append(body, f.data...))
	}
	return b
}
