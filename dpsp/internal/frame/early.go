package frame

import (
	"bytes"
	"net/netip"
	"slices"
	"time"

	frames "dplay4/wire/reliable"
)

// An EarlyFrame came before the player that it is from.
type EarlyFrame struct {
	From  netip.AddrPort
	Data  []byte
	Frame frames.Frame // in what Known returns
	until time.Duration
}

// Hold keeps a frame whose sender is not known yet. It is not answered: its sender repeats it if it matters.
func (fr *Links) Hold(from netip.AddrPort, data []byte) {
	n := 0
	for i := range fr.early {
		if fr.early[i].From.Addr() == from.Addr() {
			n++
		}
	}
	if len(fr.early) >= MaxEarly || n >= MaxEarlyEach || len(data) > maxEarly {
		return
	}
	fr.early = append(fr.early, EarlyFrame{From: from, Data: bytes.Clone(data), until: fr.Now + EarlyLife})
}

// Known returns the frames that were held and whose senders are known now. Anybody can have many held, so it looks at them only after a
// change of the list.
func (fr *Links) Known() (all []EarlyFrame) {
	for len(fr.early) > 0 && fr.early[0].until <= fr.Now {
		fr.early = fr.early[1:]
	}
	l := fr.List
	if len(fr.early) == 0 || !fr.On || fr.lacks == l && fr.lacked == l.Version() {
		return nil
	}
	fr.lacks, fr.lacked = l, l.Version()
	fr.early = slices.DeleteFunc(fr.early, func(x EarlyFrame) bool {
		f, err := frames.Decode(x.Data)
		if err == nil && len(fr.Players(f.From)) == 0 {
			return false
		}
		if err == nil {
			x.Frame = f
			all = append(all, x)
		}
		return true
	})
	return all
}

// Early returns how many frames are held.
func (fr *Links) Early() int { return len(fr.early) }
