package reliable

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"dplay4/wire/internal/wiretest"
)

// FuzzDecode: what decodes encodes to the same octets and is visited without a gap; what does not has an error
// with a place inside the input.
func FuzzDecode(f *testing.F) {
	for _, g := range golden {
		f.Add(octets(f, g.raw))
	}
	f.Add(octets(f, "80808001 02 38 01 01 00"))
	f.Add(octets(f, "01 02 62 01"))
	f.Fuzz(func(t *testing.T, in []byte) {
		w := wiretest.Watcher{T: t, Size: len(in)}
		frame, err := Visit(in, w.See)
		plain, plainErr := Decode(in)
		if (err == nil) != (plainErr == nil) || !equal(&frame, &plain) {
			t.Fatalf("Visit gives %+v, %v; Decode %+v, %v", frame, err, plain, plainErr)
		}
		if err != nil {
			wiretest.GoodError(t, err, len(in))
			return
		}
		w.Done()
		out, err := frame.Append(nil)
		if err != nil || !bytes.Equal(out, in) {
			t.Fatalf("%x became %x, %v", in, out, err)
		}
		lost := frame.Lost(nil)
		if (len(lost) > 0) != (frame.Kind() == KindNACK) || len(lost) > 1+8*MaxMask {
			t.Fatalf("%x: lost %d", in, lost)
		}
		var again Frame
		if n := again.SetLost(lost); n != len(lost) || !bytes.Equal(again.Lost(nil), lost) {
			t.Fatalf("%x: lost %d, said again %d", in, lost, again.Lost(nil))
		}
	})
}

func equal(f, g *Frame) bool {
	a, b := *f, *g
	same := bytes.Equal(a.Data, b.Data) && bytes.Equal(a.Trailing, b.Trailing)
	a.Data, a.Trailing, b.Data, b.Trailing = nil, nil, nil, nil
	return same && a.FromSize == b.FromSize && a.ToSize == b.ToSize && a.From == b.From && a.To == b.To &&
		a.Flags == b.Flags && a.MessageID == b.MessageID && a.Sequence == b.Sequence && a.Serial == b.Serial &&
		a.Extended == b.Extended && a.Mask == b.Mask && a.BytesReceived == b.BytesReceived && a.Tick == b.Tick
}

// FuzzAssembler feeds frames of any kind in any order. Whatever comes, counts agree with what is held, limits
// hold, and a message that is given out consists of the frames of its messageid in the order of their
// sequences, between one with STA and one with EOM.
func FuzzAssembler(f *testing.F) {
	const sta, eom, mid, cmd, rly = byte(CMD | STA), byte(CMD | EOM), byte(CMD), byte(CMD | STA | EOM), byte(CMD | STA | RLY)
	f.Add([]byte{0, sta, 1, 1, 4, mid, 1, 2, 4, eom, 1, 3, 4})
	f.Add([]byte{0, rly, 250, 255, 9, cmd, 20, 1, 2, eom, 250, 0, 3, cmd, 20, 5, 5})
	f.Add([]byte{1, rly, 250, 255, 9, cmd, 20, 1, 2, eom, 250, 0, 3, cmd, 150, 5, 5})
	f.Add(bytes.Repeat([]byte{sta, 7, 7, 0xFF, mid, 8, 7, 0xFF}, 40))
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) == 0 || len(script) > 4<<10 {
			return
		}
		a := Assembler{Capture: script[0]&1 != 0}
		var received uint32
		for s := script[1:]; len(s) >= 4; s = s[4:] {
			frame := Frame{Flags: Flags(s[0]), MessageID: s[1], Sequence: s[2], Data: signed(s[1], s[2], s[3])}
			r := a.Add(&frame)
			if frame.Kind() == KindData {
				received += frame.Counted()
			} else if r.Verdict != Ignored {
				t.Fatalf("%v: %v", frame.Flags, r.Verdict)
			}
			if r.Verdict == Complete {
				checkSigned(t, frame.MessageID, r.Message)
			} else if r.Message != nil {
				t.Fatalf("%v with a message", r.Verdict)
			}
			for _, d := range r.Dropped {
				if d.Octets > MaxMessage || d.Frames > MaxFrames || d.Reason == 0 || d.Reliable && d.Reason == Expired && !a.Capture {
					t.Fatalf("dropped %+v", d)
				}
			}
			checkInvariants(t, &a)
		}
		if a.BytesReceived() != received {
			t.Fatalf("received %d, counted %d", received, a.BytesReceived())
		}
		if n := len(a.Flush()); n > Window || a.held != 0 {
			t.Fatalf("%d messages left, %d octets", n, a.held)
		}
	})
}

// signed returns the data of a frame: its messageid and sequence, over and over. Sizes from 0xF0 on are large.
func signed(id, sequence, size byte) []byte {
	n := 2 + 2*int(size)
	if size >= 0xF0 {
		n = int(size&0xF+1) << 13
	}
	return bytes.Repeat([]byte{id, sequence}, n/2)
}

func checkSigned(t *testing.T, id uint8, message []byte) {
	for i := 0; i < len(message); i += 2 {
		if message[i] != id {
			t.Fatalf("message %d has data of message %d", id, message[i])
		}
		if i > 0 && message[i+1] != message[i-1] && message[i+1] != message[i-1]+1 {
			t.Fatalf("message %d has frame %d after %d", id, message[i+1], message[i-1])
		}
	}
}

// A script picks what its octets say, and what a generator says when they are used up.
type script struct {
	octets []byte
	rest   *rand.Rand
}

func (s *script) IntN(n int) int {
	if len(s.octets) < 2 {
		return s.rest.IntN(n)
	}
	v := int(s.octets[0]) | int(s.octets[1])<<8
	s.octets = s.octets[2:]
	return v % n
}

// FuzzLink runs a sender that keeps to the rules over a bad network: every message of which nothing is lost
// arrives once and unchanged, every other one is reported.
func FuzzLink(f *testing.F) {
	f.Add(uint64(1), uint8(0), []byte{})
	f.Add(uint64(2), uint8(1), []byte("0123456789"))
	f.Add(uint64(3), uint8(3), bytes.Repeat([]byte{0, 1, 2}, 50))
	f.Fuzz(func(t *testing.T, seed uint64, mode uint8, in []byte) {
		p := &script{octets: in, rest: rand.New(rand.NewPCG(seed, 5))}
		newLink(p, 10+int(mode>>2), mode&1 != 0, mode&2 != 0).run(t)
	})
}
