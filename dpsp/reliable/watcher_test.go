package reliable

import (
	"slices"
	"testing"

	"dplay4/wire/reliable"

	"github.com/stretchr/testify/require"
)

// A watcher sees what a sender sends and is told, and holds it against the window (2.2.2). It knows the frames alone.
type watcher struct {
	out    []sight // reliable frames that were sent and are not acknowledged, in the order of sending
	newest uint8   // messageid
	most   int     // of out
}

type sight struct{ id, sequence uint8 }

// sent takes a frame that goes out.
func (s *watcher) sent(t testing.TB, f *reliable.Frame, ours bool) {
	if f.Kind() != reliable.KindData {
		return
	}
	if int8(f.MessageID-s.newest) > 0 {
		s.newest = f.MessageID
	}
	v := sight{f.MessageID, f.Sequence}
	if f.Flags&(reliable.STA|reliable.EOM) == reliable.STA && !slices.Contains(s.out, v) { // the message is sent from its beginning
		s.out = slices.DeleteFunc(s.out, func(v sight) bool { return v.id == f.MessageID })
	}
	if f.Flags&reliable.RLY != 0 && f.Flags&reliable.SAK == 0 || f.Serial == 0 {
		if f.Flags&reliable.RLY != 0 && !slices.Contains(s.out, v) {
			s.out = append(s.out, v)
		}
	} else if f.Flags&reliable.RLY != 0 && !slices.Contains(s.out, v) && f.Flags&reliable.STA == 0 {
		s.out = append(s.out, v) // a later frame of a long message; a repeat of what was acknowledged is counted as well
	}
	s.most = max(s.most, len(s.out))
	if len(s.out) > reliable.Window || len(s.out) > 0 && int(s.newest-s.out[0].id) >= reliable.Window {
		require.Fail(t, "too many frames or messageids under way", "%v, the newest %d", s.out, s.newest)
	}
}

// came takes a frame that the sender is told.
func (s *watcher) came(f *reliable.Frame, ours bool) {
	switch f.Kind() {
	case reliable.KindACK:
		if f.Flags&reliable.RLY == 0 && ours {
			return
		}
		at := slices.Index(s.out, sight{f.MessageID, f.Sequence})
		s.out = slices.Delete(s.out, 0, at+1)
		s.out = slices.DeleteFunc(s.out, func(v sight) bool {
			return int8(v.id-f.MessageID) < 0 || v.id == f.MessageID && int8(v.sequence-f.Sequence) <= 0
		})
	case reliable.KindNACK:
		lost := f.Lost(nil)
		s.out = slices.DeleteFunc(s.out, func(v sight) bool {
			if int8(v.id-f.MessageID) < 0 || v.id == f.MessageID && int8(v.sequence-f.Sequence) < 0 {
				return true
			}
			d := int(v.sequence - f.Sequence)
			return (v.id == f.MessageID || ours) && d > 0 && d <= 8*f.Extended.MaskSize() && !slices.Contains(lost, v.sequence)
		})
	}
}
