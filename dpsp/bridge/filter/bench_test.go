package filter

import (
	"testing"

	"dplay4/wire"
)

// BenchmarkStream checks what comes on a connection: messages of a game, and a list of all players.
func BenchmarkStream(b *testing.B) {
	for name, s := range measured(b) {
		b.Run(name, func(b *testing.B) {
			st := NewStream(s.rule, nil)
			var out []byte
			b.SetBytes(int64(len(s.raw)))
			b.ReportAllocs()
			for b.Loop() {
				var err error
				if out, err = st.Pass(out[:0], s.raw); err != nil || len(out) != len(s.raw) {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkTranslate translates the same.
func BenchmarkTranslate(b *testing.B) {
	for name, s := range measured(b) {
		b.Run(name, func(b *testing.B) {
			by := Translation{Game: s.rule.From, Slot: Ports{4000, 4050}}
			st := NewTranslator(func() Translation { return by }).Stream()
			var out []byte
			b.SetBytes(int64(len(s.raw)))
			b.ReportAllocs()
			for b.Loop() {
				out, _ = st.Pass(out[:0], s.raw)
			}
		})
	}
}

// measured are messages of the usual kinds.
func measured(b *testing.B) map[string]sample {
	all := map[string]sample{"game-1400": newSample("", append(headOf(1400), make([]byte, 1400)...)),
		"game-60000": newSample("", append(headOf(60_000), make([]byte, 60_000)...))}
	for _, s := range samples(b) {
		switch s.name {
		case "PING", "SUPERENUMPLAYERSREPLY", "ADDFORWARD":
			all[wire.Command(uint16(s.raw[24])).String()] = s
		}
	}
	return all
}
