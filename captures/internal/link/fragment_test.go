package link

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dplay4/captures/internal/pcapfile"
)

// A cutter makes the packets of fragments of one datagram.
type cutter func(id uint32, at int, more bool, part []byte) []byte

func cut4(id uint32, at int, more bool, part []byte) []byte {
	return fragment4(UDP, uint16(id), at, more, nil, part)
}

func cut6(id uint32, at int, more bool, part []byte) []byte {
	return ip6(0, join(extension(44, 1), header6(17, id, at, more), part))
}

var cutters = map[string]struct {
	cut      cutter
	src, dst string
}{
	"IPv4": {cut4, src4.String(), dst4.String()},
	"IPv6": {cut6, src6.String(), dst6.String()},
}

// counting returns n octets of which no two blocks of 8 are equal.
func counting(n int) []byte {
	b := make([]byte, 0, n+8)
	for i := 0; len(b) < n; i++ {
		b = be.AppendUint64(b, uint64(i)*0x0101010101)
	}
	return b[:n]
}

// permutations returns all orders of n things.
func permutations(n int) [][]int {
	if n == 0 {
		return [][]int{nil}
	}
	var all [][]int
	for _, p := range permutations(n - 1) {
		for i := range n {
			all = append(all, slices.Insert(slices.Clone(p), i, n-1))
		}
	}
	return all
}

// decodeAll decodes the packets as frames 1, 2, ... one millisecond apart.
func decodeAll(d *Decoder, packets ...[]byte) (units []Unit, last Status) {
	for i, data := range packets {
		var u Unit
		u, last = d.Decode(packet(i+1, pcapfile.LinkRaw, data))
		if last.Kind == KindUnit {
			u.Payload = bytes.Clone(u.Payload)
			units = append(units, u)
		}
	}
	return units, last
}

// TestFragmentsInEveryOrder has datagrams in three and four fragments, the last one of an odd size.
func TestFragmentsInEveryOrder(t *testing.T) {
	payload := counting(1001)
	whole := udp(payload)
	for name, c := range cutters {
		for _, ends := range [][]int{{8, 504, len(whole)}, {400, 800, 1008, len(whole)}} {
			for _, order := range permutations(len(ends)) {
				var d Decoder
				var packets [][]byte
				frames := make([]int, len(ends))
				for i, n := range order {
					at := 0
					if n > 0 {
						at = ends[n-1]
					}
					packets = append(packets, join(c.cut(5, at, n < len(ends)-1, whole[at:ends[n]]), []byte("padding")))
					frames[i] = i + 1
				}
				for i, data := range packets[:len(packets)-1] {
					_, st := d.Decode(packet(i+1, pcapfile.LinkRaw, data))
					require.Equal(t, Status{Kind: KindHeld}, st)
				}
				u, st := d.Decode(packet(len(ends), pcapfile.LinkRaw, packets[len(ends)-1]))
				require.Equal(t, Status{Kind: KindUnit}, st, "%s %v", name, order)
				require.Equal(t, payload, u.Payload, "%s %v", name, order)
				require.Equal(t, frames, u.Frames)
				require.Equal(t, []string{c.src, c.dst}, []string{u.Src.String(), u.Dst.String()})
				require.Equal(t, packet(len(ends), 0, nil).Time, u.Time)
				require.Zero(t, u.Cut)
				require.Empty(t, d.Flush())
			}
		}
	}
}

// TestFragmentFramesAreTheCallers: those of a unit of one frame are not.
func TestFragmentFramesAreTheCallers(t *testing.T) {
	whole := udp(counting(8))
	var d Decoder
	units, _ := decodeAll(&d, cut4(1, 0, true, whole[:8]), cut4(1, 8, false, whole[8:]), ip4(UDP, whole))
	require.Equal(t, []int{1, 2}, units[0].Frames)
	require.Equal(t, []int{3}, units[1].Frames)
}

// TestFragmentsOfManyDatagrams: what tells them apart is source, destination, identification and, for IPv4, protocol.
func TestFragmentsOfManyDatagrams(t *testing.T) {
	whole, segment := udp(counting(16)), tcp(16, nil, counting(12))
	otherSource := func(b []byte) []byte { return set(b, 15, 9) }
	var d Decoder
	units, _ := decodeAll(&d,
		cut4(1, 0, true, whole[:8]), cut6(1, 0, true, whole[:8]), cut4(2, 0, true, whole[:16]),
		fragment4(TCP, 1, 0, true, nil, segment[:16]), otherSource(cut4(1, 0, true, whole[:8])),
		otherSource(cut4(1, 8, false, whole[8:20])), // frame 6, with another end
		fragment4(TCP, 1, 16, false, nil, segment[16:]),
		cut4(2, 16, false, whole[16:]), cut6(1, 8, false, whole[8:]), cut4(1, 8, false, whole[8:]),
		cut4(1, 0, true, whole[:8]), cut4(1, 8, false, whole[8:]), // the identification comes round
	)
	var frames [][]int
	for _, u := range units {
		frames = append(frames, u.Frames)
	}
	require.Equal(t, [][]int{{4, 7}, {3, 8}, {2, 9}, {1, 10}, {11, 12}}, frames)
	require.Equal(t, TCP, units[0].Proto)
	require.Equal(t, segment[20:], units[0].Payload)
	require.Equal(t, uint32(0xfffffff0), units[0].Seq)
}

// TestReassembledIsNoUnit: the datagram is put together, but what it holds is malformed or something else.
func TestReassembledIsNoUnit(t *testing.T) {
	whole := udp(counting(16))
	_, st := decodeAll(new(Decoder), cut4(1, 0, true, whole[:8]), cut4(1, 8, false, whole[8:20]))
	want := malformed("UDP", 0, "length is above the IP payload's")
	want.Frames = []int{1, 2}
	require.Equal(t, want, st)
	require.Equal(t, "malformed: UDP of the reassembled datagram at octet 0: length is above the IP payload's", st.String())
	_, st = decodeAll(new(Decoder), ip6(44, join(header6(60, 1, 0, true), extension(44, 1))),
		ip6(44, join(header6(60, 1, 8, false), header6(17, 2, 0, false), whole)))
	want = malformed("IPv6 fragment header", 8, "a second fragment header")
	want.Frames = []int{1, 2}
	require.Equal(t, want, st)
	_, st = decodeAll(new(Decoder), ip6(44, join(header6(60, 1, 0, true), extension(58, 1))),
		ip6(44, join(header6(60, 1, 8, false), whole)))
	require.Equal(t, Status{Kind: KindSkipped, Reason: Reason{WhyICMPv6, 0}, Frames: []int{1, 2}}, st)
}

// TestExtensionsInsideFragments: destination options stand behind the fragment header, in the part that is cut.
func TestExtensionsInsideFragments(t *testing.T) {
	inside := join(extension(17, 2), udp(counting(8)))
	units, _ := decodeAll(new(Decoder),
		ip6(44, join(header6(17, 1, 16, false), inside[16:])), // only the first one's Next Header counts
		ip6(44, join(header6(60, 1, 0, true), inside[:16])))
	require.Len(t, units, 1)
	require.Equal(t, counting(8), units[0].Payload)
}

func TestLargestDatagram(t *testing.T) {
	const most = maxIP - ip4Size
	whole := udp(counting(most - udpSize))
	units, st := decodeAll(new(Decoder), cut4(1, 65512, false, whole[65512:]), cut4(1, 0, true, whole[:32768]),
		cut4(1, 32768, true, whole[32768:65512]))
	require.Equal(t, Status{Kind: KindUnit}, st)
	require.Equal(t, whole[8:], units[0].Payload)

	past := malformed("IPv4", 0, "fragment ends past octet 65535")
	_, st = decodeAll(new(Decoder), cut4(1, 65512, false, make([]byte, most-65512+1)))
	require.Equal(t, past, st)
	_, st = decodeAll(new(Decoder), fragment4(UDP, 1, 65512, false, []byte{1, 1, 1, 1}, make([]byte, most-65512)))
	require.Equal(t, past, st)
	_, st = decodeAll(new(Decoder), cut4(1, 65528, true, make([]byte, 1480)))
	require.Equal(t, past, st)
	_, st = decodeAll(new(Decoder), cut6(1, 65528, false, make([]byte, 8)))
	require.Equal(t, malformed("IPv6 fragment header", 48, "fragment ends past octet 65535"), st)
	_, st = decodeAll(new(Decoder), cut6(1, 65528, false, make([]byte, 7)))
	require.Equal(t, Status{Kind: KindHeld}, st)
}

func TestFragmentsThatContradict(t *testing.T) {
	data := counting(64)
	const end = "last fragment ends elsewhere than one before"
	const past = "fragment reaches to or past the datagram's end, which came before"
	for name, c := range map[string]struct {
		packets [][]byte
		text    string
	}{
		"no data":           {[][]byte{cut4(1, 8, false, nil)}, "a fragment without data"},
		"odd length":        {[][]byte{cut4(1, 0, true, data[:9])}, "length of a fragment that is not the last is no multiple of 8"},
		"last ends earlier": {[][]byte{cut4(1, 16, false, data[:8]), cut4(1, 8, false, data[:8])}, end},
		"last ends later":   {[][]byte{cut4(1, 8, false, data[:8]), cut4(1, 8, false, data[:9])}, end},
		"last before others": {[][]byte{cut4(1, 8, true, data[:16]), cut4(1, 8, false, data[:8])},
			"last fragment ends before another one"},
		"more at the end":   {[][]byte{cut4(1, 8, false, data[:8]), cut4(1, 8, true, data[:8])}, past},
		"more past the end": {[][]byte{cut4(1, 8, false, data[:8]), cut4(1, 16, true, data[:8])}, past},
	} {
		var d Decoder
		_, st := decodeAll(&d, c.packets...)
		require.Equal(t, malformed("IPv4", 0, c.text), st, name)
		// The datagram is none the worse for it.
		for _, in := range d.Flush() {
			require.Len(t, in.Frames, len(c.packets)-1, name)
		}
	}
}

func TestOverlap(t *testing.T) {
	whole, other := udp(counting(40)), slices.Repeat([]byte{0xff}, 48)
	for name, c := range map[string]struct {
		packets [][]byte
		want    []byte
	}{
		"duplicate": {[][]byte{cut4(1, 0, true, whole[:24]), cut4(1, 0, true, whole[:24]), cut4(1, 24, false, whole[24:])}, whole},
		"other duplicate": {[][]byte{cut4(1, 0, true, whole[:24]), cut4(1, 8, true, other[8:16]), cut4(1, 24, false, whole[24:])},
			whole},
		"same octets":   {[][]byte{cut4(1, 0, true, whole[:24]), cut4(1, 16, false, whole[16:])}, whole},
		"begins before": {[][]byte{cut4(1, 0, true, whole[:24]), cut4(1, 16, false, join(other[:8], whole[24:]))}, whole},
		"ends behind":   {[][]byte{cut4(1, 24, false, whole[24:]), cut4(1, 0, true, join(whole[:24], other[:8]))}, whole},
		"around": {
			[][]byte{cut4(1, 16, true, whole[16:24]), cut4(1, 0, true, join(whole[:16], other[:8], whole[32:40])),
				cut4(1, 24, true, whole[24:32]), cut4(1, 32, false, whole[32:])},
			join(whole[:24], whole[32:40], whole[32:]),
		},
	} {
		t.Run(name, func(t *testing.T) {
			var d Decoder
			units, _ := decodeAll(&d, c.packets...)
			require.NotEmpty(t, units)
			require.Equal(t, c.want[8:], units[0].Payload)
			require.Empty(t, d.Flush())
		})
	}
}

// TestRandomFragments compares with a model that remembers for each block who wrote it first.
func TestRandomFragments(t *testing.T) {
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 0))
		size := udpSize + 1 + rnd.IntN(400)
		length := udp(make([]byte, size-udpSize))[4:6]
		model, written := make([]byte, size), make([]bool, size)
		var d Decoder
		for frame := 1; ; frame++ {
			at := rnd.IntN((size+7)/8) * 8
			end := min(at+8*(1+rnd.IntN(8)), size)
			if at == 0 && end == size { // that would be no fragment
				end = 8
			}
			part := make([]byte, end-at)
			for i := range part {
				part[i] = byte(rnd.Uint32())
			}
			if at == 0 {
				copy(part[4:], length)
			}
			for i := at; i < end; i++ {
				if !written[i] {
					model[i], written[i] = part[i-at], true
				}
			}
			u, st := d.Decode(packet(frame, pcapfile.LinkRaw, cut4(1, at, end < size, part)))
			if slices.Contains(written, false) {
				require.Equal(t, Status{Kind: KindHeld}, st, "seed %d", seed)
				continue
			}
			require.Equal(t, Status{Kind: KindUnit}, st, "seed %d", seed)
			require.Equal(t, model[8:], u.Payload, "seed %d", seed)
			require.Len(t, u.Frames, frame)
			break
		}
	}
}

// TestFragmentsCutBySnapLength: what stands behind the first octet that is missing is not given.
func TestFragmentsCutBySnapLength(t *testing.T) {
	whole := udp(counting(40))
	for snap := ip4Size; snap <= ip4Size+24; snap++ {
		first := packet(1, pcapfile.LinkRaw, cut4(1, 0, true, whole[:24])[:snap])
		first.Length = ip4Size + 24
		last := packet(2, pcapfile.LinkRaw, cut4(1, 24, false, whole[24:]))
		for _, order := range [][]*pcapfile.Packet{{first, last}, {last, first}} {
			var d Decoder
			_, st := d.Decode(order[0])
			require.Equal(t, Status{Kind: KindHeld}, st)
			u, st := d.Decode(order[1])
			frames := []int{order[0].Frame, order[1].Frame}
			if snap < ip4Size+udpSize {
				require.Equal(t, Status{Kind: KindSkipped, Reason: Reason{WhyCut, 0}, Frames: frames}, st)
				continue
			}
			require.Equal(t, Status{Kind: KindUnit}, st)
			known := snap - ip4Size
			if known == 24 {
				known = len(whole)
			}
			require.Equal(t, whole[8:known], u.Payload)
			require.Equal(t, len(whole)-known, u.Cut)
			require.Equal(t, frames, u.Frames)
		}
	}
}

func TestFragmentTimeout(t *testing.T) {
	whole := udp(counting(8))
	for wait, kind := range map[time.Duration]Kind{
		FragmentTimeout: KindUnit, FragmentTimeout + 1: KindHeld, -24 * time.Hour: KindUnit,
	} {
		var d Decoder
		_, _ = d.Decode(packet(1, pcapfile.LinkRaw, cut4(1, 0, true, whole[:8])))
		second := packet(2, pcapfile.LinkRaw, cut4(1, 8, false, whole[8:]))
		second.Time = packet(1, 0, nil).Time.Add(wait)
		_, st := d.Decode(second)
		require.Equal(t, kind, st.Kind, "%v", wait)
		if kind == KindHeld {
			in := d.Incomplete()
			require.Len(t, in, 1)
			require.Equal(t, []int{1}, in[0].Frames)
			require.Equal(t, []int{2}, d.Flush()[0].Frames)
		}
	}
}
