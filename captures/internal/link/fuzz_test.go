package link

import (
	"testing"
	"time"

	"dplay4/captures/internal/pcapfile"
)

// FuzzDecode decodes a series of packets, which the input holds as
//
//	link type (2 octets) | seconds (1) | octets that the snap length cut (1) | length (2) | packet
//
// Every packet is exactly one kind, and every fragment that was held is told again once, in a Unit, a Status or an
// Incomplete.
func FuzzDecode(f *testing.F) {
	seed := func(packets ...*pcapfile.Packet) {
		var in []byte
		for _, p := range packets {
			in = append(be.AppendUint16(in, uint16(p.Link)), 1, byte(p.Length-len(p.Data)))
			in = append(be.AppendUint16(in, uint16(len(p.Data))), p.Data...)
		}
		f.Add(in)
	}
	for _, c := range linkHeaders {
		seed(packet(1, c.link, join(c.ip4, ip4(UDP, udp(counting(9))))),
			packet(2, c.link, join(c.ip6, ip6(TCP, tcp(2, []byte{8, 10}, nil)))))
	}
	for _, c := range malformedIP() {
		seed(packet(1, pcapfile.LinkRaw, c.data))
	}
	whole := udp(counting(30))
	for _, c := range cutters {
		seed(packet(1, pcapfile.LinkRaw, c.cut(1, 16, false, whole[16:])), packet(2, pcapfile.LinkRaw, c.cut(1, 0, true, whole[:16])))
		seed(packet(1, pcapfile.LinkRaw, c.cut(1, 8, true, whole[8:24])), packet(2, pcapfile.LinkRaw, c.cut(1, 0, true, whole[:16])),
			packet(3, pcapfile.LinkRaw, c.cut(2, 0, true, whole[:16])), packet(4, pcapfile.LinkRaw, c.cut(1, 24, false, whole[24:])))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		fuzzDecode(t, in)
	})
}

func fuzzDecode(t *testing.T, in []byte) {
	var d Decoder
	var told []Incomplete
	held, frame, now := map[int]bool{}, 0, epoch
	for len(in) >= 6 {
		frame++
		now = now.Add(time.Duration(in[2]) * time.Second)
		n := min(int(be.Uint16(in[4:])), len(in)-6)
		p := pcapfile.Packet{
			Frame: frame, Time: now, Link: pcapfile.LinkType(be.Uint16(in)), Data: in[6 : 6+n : 6+n], Length: n + int(in[3]),
		}
		in = in[6+n:]
		u, st := d.Decode(&p)
		told = append(told, d.Incomplete()...)
		switch {
		case st.Kind == KindHeld:
			held[frame] = true
		case st.Kind == KindSkipped && st.Reason.Why == 0, st.Kind == KindMalformed && (st.Layer == "" || st.Text == ""):
			t.Fatalf("frame %d: %+v", frame, st)
		case st.Kind == KindMalformed && st.Frames == nil && st.Offset > n:
			t.Fatalf("frame %d of %d octets: %v", frame, n, st)
		case st.Kind == KindUnit && (!u.Src.IsValid() || u.Cut < 0 || len(u.Payload) > maxIP+n || u.Frames[len(u.Frames)-1] != frame):
			t.Fatalf("frame %d: %+v", frame, u)
		case st.Kind < KindUnit || st.Kind > KindMalformed:
			t.Fatalf("frame %d: %v", frame, st)
		}
		frames := append(st.Frames, u.Frames...)
		retell(t, held, frames[:max(len(frames)-1, 0)])
	}
	for _, in := range append(told, d.Flush()...) {
		retell(t, held, in.Frames)
	}
	if len(held) > 0 {
		t.Fatalf("%v were held and never told again", held)
	}
	if len(d.fragments.held)+len(d.fragments.order)+d.fragments.octets != 0 {
		t.Fatalf("%d datagrams, %d octets are left", len(d.fragments.held), d.fragments.octets)
	}
}

func retell(t *testing.T, held map[int]bool, frames []int) {
	for _, n := range frames {
		if !held[n] {
			t.Fatalf("frame %d was not held, or is told twice", n)
		}
		delete(held, n)
	}
}
