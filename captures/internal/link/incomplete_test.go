package link

import (
	"bytes"
	"math/rand/v2"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"dplay4/captures/internal/pcapfile"
)

func withoutPort(a netip.AddrPort) netip.AddrPort { return netip.AddrPortFrom(a.Addr(), 0) }

// TestIncomplete: what is told of a datagram depends on which fragments were seen. The first case is capture 12b, of
// whose 9000 octets a capture filter kept only the first fragment.
func TestIncomplete(t *testing.T) {
	big, segment := udp(counting(9000)), tcp(16, []byte{1, 1, 1, 1}, counting(100))
	for name, c := range map[string]struct {
		packets [][]byte
		want    Incomplete
	}{
		"first": {
			[][]byte{cut4(1, 0, true, big[:1480])},
			Incomplete{Unit{Proto: UDP, Src: src4, Dst: dst4, Frames: []int{1}, Payload: big[8:1480]}, true, 1480, 9008},
		},
		"first and last": {
			[][]byte{cut4(1, 8880, false, big[8880:]), cut4(1, 0, true, big[:1480])},
			Incomplete{Unit{Proto: UDP, Src: src4, Dst: dst4, Frames: []int{1, 2}, Payload: big[8:1480]}, true, 1480 + 128, 9008},
		},
		"middle": {
			[][]byte{cut4(1, 1480, true, big[1480:2960]), cut4(1, 1480, true, big[1480:2960])},
			Incomplete{Unit{Proto: UDP, Src: withoutPort(src4), Dst: withoutPort(dst4), Frames: []int{1, 2}}, false, 1480, 0},
		},
		"last": {
			[][]byte{cut6(1, 8880, false, big[8880:])},
			Incomplete{Unit{Proto: UDP, Src: withoutPort(src6), Dst: withoutPort(dst6), Frames: []int{1}}, false, 128, 9008},
		},
		"TCP": {
			[][]byte{fragment4(TCP, 1, 0, true, nil, segment[:40])},
			Incomplete{Unit{Proto: TCP, Src: src4, Dst: dst4, Frames: []int{1}, Payload: segment[24:40]}, true, 40, 0},
		},
		"TCP with a header of more than there is": {
			[][]byte{fragment4(TCP, 1, 0, true, nil, set(segment[:24], 12, 0xf0))},
			Incomplete{Unit{Proto: TCP, Src: src4, Dst: dst4, Frames: []int{1}, Payload: []byte{}}, true, 24, 0},
		},
		"less than a TCP header": {
			[][]byte{fragment4(TCP, 1, 0, true, nil, segment[:16])},
			Incomplete{Unit{Proto: TCP, Src: withoutPort(src4), Dst: withoutPort(dst4), Frames: []int{1}}, false, 16, 0},
		},
		"destination options": {
			[][]byte{ip6(44, join(header6(60, 1, 0, true), extension(17, 2)))},
			Incomplete{Unit{Proto: 60, Src: withoutPort(src6), Dst: withoutPort(dst6), Frames: []int{1}}, false, 16, 0},
		},
	} {
		var d Decoder
		_, st := decodeAll(&d, c.packets...)
		require.Equal(t, KindHeld, st.Kind, name)
		require.Empty(t, d.Incomplete(), name)
		require.Equal(t, []Incomplete{c.want}, d.Flush(), name)
		require.Empty(t, d.Flush(), name)
	}
}

func TestOldestIsGivenUpForNewer(t *testing.T) {
	var d Decoder
	part := make([]byte, 8)
	var in []Incomplete
	for id := range uint32(MaxDatagrams + 2) {
		_, st := d.Decode(packet(int(id)+1, pcapfile.LinkRaw, cut4(id, 8, true, part)))
		require.Equal(t, Status{Kind: KindHeld}, st)
		in = append(in, d.Incomplete()...)
	}
	require.Len(t, in, 2)
	for i := range in {
		require.Equal(t, []int{i + 1}, in[i].Frames)
	}
	in = d.Flush()
	require.Len(t, in, MaxDatagrams)
	for i := range in { // in the order in which they came
		require.Equal(t, []int{i + 3}, in[i].Frames)
	}
}

func TestHeldOctetsAreBounded(t *testing.T) {
	var d Decoder
	last := make([]byte, 1480)
	const each = 64000 + 1480
	for id := range uint32(MaxHeldOctets / each) {
		d.Decode(packet(int(id)+1, pcapfile.LinkRaw, cut4(id, 64000, false, last)))
		require.Empty(t, d.Incomplete())
	}
	d.Decode(packet(1000, pcapfile.LinkRaw, cut4(1000, 64000, false, last)))
	in := d.Incomplete()
	require.Len(t, in, 1)
	require.Equal(t, []int{1}, in[0].Frames)
	require.Equal(t, Incomplete{Unit{Proto: UDP, Src: withoutPort(src4), Dst: withoutPort(dst4), Frames: []int{1}}, false, 1480, each}, in[0])
}

func TestFragmentsOfADatagramAreBounded(t *testing.T) {
	var d Decoder
	for frame := range MaxFragments {
		_, st := d.Decode(packet(1, pcapfile.LinkRaw, cut4(1, 8*(frame%3), true, make([]byte, 8))))
		require.Equal(t, Status{Kind: KindHeld}, st)
	}
	require.Empty(t, d.Incomplete())
	_, st := d.Decode(packet(2, pcapfile.LinkRaw, cut4(1, 0, true, make([]byte, 8))))
	require.Equal(t, Status{Kind: KindHeld}, st)
	in := d.Incomplete()
	require.Len(t, in, 1)
	require.Len(t, in[0].Frames, MaxFragments)
	require.Equal(t, []int{2}, d.Flush()[0].Frames)
}

// TestMemoryIsFlat feeds fragments that never complete anything, each as costly as can be, and asks for no reports.
func TestMemoryIsFlat(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var d Decoder
	rnd := rand.New(rand.NewPCG(1, 2))
	part := bytes.Repeat([]byte{1}, 1480)
	for frame := range 50_000 {
		id, at := rnd.Uint32N(400), 8*rnd.IntN(8000)
		d.Decode(packet(frame+1, pcapfile.LinkRaw, cut4(id, at, true, part[:8*(1+rnd.IntN(185))])))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	require.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(12<<20))
	require.LessOrEqual(t, d.fragments.octets, MaxHeldOctets)
	require.Len(t, d.fragments.held, len(d.fragments.order))
	d.Flush()
	require.Zero(t, d.fragments.octets)
	require.Empty(t, d.fragments.held)
}

func TestDecodeAllocatesNothing(t *testing.T) {
	var d Decoder
	packets := benchPackets()
	require.Zero(t, testing.AllocsPerRun(100, func() {
		for i := range packets {
			if _, st := d.Decode(&packets[i]); st.Kind != KindUnit {
				t.Fatal(st)
			}
		}
	}))
}

// TestStrings: every value has a text of its own, and a value that does not exist shows its number.
func TestStrings(t *testing.T) {
	seen := map[string]bool{}
	add := func(s string) {
		require.False(t, seen[s], s)
		seen[s] = true
	}
	for k := range KindMalformed + 2 {
		add(Status{Kind: k}.Kind.String())
	}
	for w := range WhyLinkType + 2 {
		add(Reason{Why: w}.String())
	}
	add(TCP.String())
	add(UDP.String())
	require.Equal(t, "IP protocol 89", Proto(89).String())
	require.Equal(t, "unit", Status{Kind: KindUnit}.String())
	require.Equal(t, "Kind(0)", Kind(0).String())
}

// TestTimeIsTheCapturesOwn: packets without a time, of simple packet blocks, never time out.
func TestTimeIsTheCapturesOwn(t *testing.T) {
	whole := udp(counting(8))
	var d Decoder
	for i, data := range [][]byte{cut4(1, 0, true, whole[:8]), cut4(1, 8, false, whole[8:])} {
		p := packet(i+1, pcapfile.LinkRaw, data)
		p.Time = time.Time{}
		u, st := d.Decode(p)
		if i == 1 {
			require.Equal(t, KindUnit, st.Kind)
			require.True(t, u.Time.IsZero())
		}
	}
}
