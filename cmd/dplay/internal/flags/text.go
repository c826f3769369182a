package flags

import (
	"dplay4/cmd/dplay/internal/gamelist"
	"dplay4/wire"
)

// A Text is how names, passwords and chat are written.
type Text struct{ Choice }

// NewText returns one that is automatic.
func NewText() Text { return Text{NewChoice("auto", "utf16", "8bit")} }

// Encodings returns what the engine is to know: one encoding for every game, or those of the games that are known.
func (f *Text) Encodings() map[wire.GUID]wire.Encoding {
	switch f.Value {
	case "utf16":
		return map[wire.GUID]wire.Encoding{{}: wire.UTF16}
	case "8bit":
		return map[wire.GUID]wire.Encoding{{}: wire.EightBit}
	}
	return gamelist.Games().Encodings()
}

// Of returns the encoding for a game.
func (f *Text) Of(app wire.GUID) wire.Encoding {
	known := f.Encodings()
	if enc, every := known[wire.GUID{}]; every {
		return enc
	}
	return known[app]
}
