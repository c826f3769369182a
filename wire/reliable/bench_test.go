package reliable

import "testing"

func BenchmarkDecode(b *testing.B) {
	for _, i := range []int{0, 3, 10} { // a Data frame, an ACK, a NACK
		raw := octets(b, golden[i].raw)
		b.Run(golden[i].want.Kind().String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Decode(raw); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAppend(b *testing.B) {
	for _, i := range []int{0, 3, 10} {
		f, dst := golden[i].want, make([]byte, 0, 64)
		b.Run(f.Kind().String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := f.Append(dst); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAssembleWhole(b *testing.B) {
	var a Assembler
	f := data(STA|EOM, 0, 0, "position and speed")
	b.ReportAllocs()
	for b.Loop() {
		f.MessageID++
		f.Sequence++
		if a.Add(f).Verdict != Complete {
			b.Fatal("not complete")
		}
	}
}

// A message of 64 frames of 1024 octets, in order and backwards.
func BenchmarkAssembleFrames(b *testing.B) {
	const frames = 64
	var f [frames]Frame
	for i := range f {
		f[i] = Frame{Flags: CMD | RLY, Sequence: uint8(i), Data: make([]byte, 1024)}
	}
	f[0].Flags |= STA
	f[frames-1].Flags |= EOM
	for _, c := range []struct {
		name        string
		start, step int
	}{{"ordered", 0, 1}, {"backwards", frames - 1, -1}} {
		b.Run(c.name, func(b *testing.B) {
			var a Assembler
			var id uint8
			b.ReportAllocs()
			b.SetBytes(frames * 1024)
			for b.Loop() {
				id++
				var r Result
				for i := range f {
					frame := &f[c.start+c.step*i]
					frame.MessageID = id
					r = a.Add(frame)
				}
				if r.Verdict != Complete {
					b.Fatal(r.Verdict)
				}
			}
		})
	}
}
