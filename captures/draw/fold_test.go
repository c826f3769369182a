package draw

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/captures/doctor"
	"dplay4/wire"
)

const ms = time.Millisecond

func game(from, to wire.PlayerID) *wire.PlayerMessage { return &wire.PlayerMessage{From: from, To: to} }

// TestFold holds what is folded, and what ends a fold, against sequences worked out by hand.
func TestFold(t *testing.T) {
	for name, c := range map[string]struct {
		play func(s *script)
		want []string
	}{
		"two are not folded": {func(s *script) {
			s.say(0, alice, bob, 36, game(1, 2)).say(ms, alice, bob, 40, game(1, 2))
		}, []string{"A>B PLAYERMESSAGE 1", "A>B PLAYERMESSAGE 1"}},
		"three are, with those of the other way between": {func(s *script) {
			for range 3 {
				s.say(ms, alice, bob, 36, game(1, 2)).say(ms, bob, alice, 76, game(2, 1))
			}
		}, []string{"A>B PLAYERMESSAGE 3", "B>A PLAYERMESSAGE 3"}},
		"a system message ends a fold": {func(s *script) {
			for range 4 {
				s.say(ms, alice, bob, 36, game(1, 2))
			}
			s.say(ms, bob, alice, 36, &wire.DeletePlayer{Player: 7})
			s.say(ms, alice, bob, 36, game(1, 2))
		}, []string{"A>B PLAYERMESSAGE 4", "B>A DELETEPLAYER 1", "A>B PLAYERMESSAGE 1"}},
		"so does a long silence, a shorter one does not": {func(s *script) {
			s.say(0, alice, bob, 36, game(1, 2)).say(4*time.Second, alice, bob, 36, game(1, 2)).say(4*time.Second, alice, bob, 36, game(1, 2))
			s.say(6*time.Second, alice, bob, 36, game(1, 2))
		}, []string{"A>B PLAYERMESSAGE 3", "silence", "A>B PLAYERMESSAGE 1"}},
		"pings are folded by themselves": {func(s *script) {
			for i := range 3 {
				s.say(ms, alice, bob, 36, &wire.Ping{Tick: uint32(i)}).say(ms, alice, bob, 36, game(1, 2))
			}
		}, []string{"A>B PING 3", "A>B PLAYERMESSAGE 3"}},
		"system messages are not folded": {func(s *script) {
			for range 4 {
				s.say(ms, alice, bob, 36, &wire.RequestPlayerID{})
			}
		}, []string{"A>B REQUESTPLAYERID 1", "A>B REQUESTPLAYERID 1", "A>B REQUESTPLAYERID 1", "A>B REQUESTPLAYERID 1"}},
		"one row for what goes to several at once": {func(s *script) {
			s.say(0, alice, bob, 36, &wire.Chat{From: 1}).say(ms, alice, carol, 36, &wire.Chat{From: 1})
			s.say(time.Second/2, alice, bob, 36, &wire.Chat{From: 1}).say(time.Second/2, alice, carol, 36, &wire.Chat{From: 1})
		}, []string{"A>B,C CHAT 2", "A>B CHAT 1", "A>C CHAT 1"}},
		"one row for folds of a burst to several": {func(s *script) {
			for range 5 {
				s.say(ms, alice, bob, 36, game(1, 0)).say(ms, alice, carol, 36, game(1, 0)).say(ms, bob, alice, 36, game(2, 0))
			}
		}, []string{"A>B,C PLAYERMESSAGE 10", "B>A PLAYERMESSAGE 5"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript(Options{})
			c.play(s)
			assert.Equal(t, c.want, rows(s.b.Diagram()))
		})
	}
}

// TestFoldSays checks what is said of a fold.
func TestFoldSays(t *testing.T) {
	s := newScript(Options{})
	for i := range 412 {
		s.say(ms, alice, bob, 36+i%41, game(1, 2))
	}
	d := s.b.Diagram()
	require.Len(t, d.Steps, 1)
	st := &d.Steps[0]
	assert.Equal(t, "PLAYERMESSAGE ×412", st.Label())
	assert.Equal(t, "412 messages, 36-76 octets, over 411 ms", st.Details())
	assert.Equal(t, 1, st.N)
	assert.Equal(t, 412, st.LastN)
}

// TestFindingsStandAlone: a message with a finding is not folded, by its number or by its frame.
func TestFindingsStandAlone(t *testing.T) {
	for name, place := range map[string]doctor.Evidence{"number": {N: 5}, "frame": {Frame: 50}} {
		t.Run(name, func(t *testing.T) {
			s := newScript(Options{Findings: []doctor.Finding{{Severity: doctor.Warning, Code: "c", Text: "t", Evidence: []doctor.Evidence{place}}}})
			for range 9 {
				s.say(ms, alice, bob, 36, game(1, 2))
			}
			d := s.b.Diagram()
			require.Equal(t, []string{"A>B PLAYERMESSAGE 4", "A>B PLAYERMESSAGE 1", "A>B PLAYERMESSAGE 4"}, rows(d))
			assert.Equal(t, []int{0}, d.Steps[1].Findings)
			assert.Equal(t, 5, d.Steps[1].N)
		})
	}
}

// TestNotes: a finding about a frame that is no message has a row at its time, unless only some messages are drawn.
func TestNotes(t *testing.T) {
	finding := doctor.Finding{Severity: doctor.Failure, Code: "refused", Text: "nobody listens", Evidence: []doctor.Evidence{{Frame: 15, Time: noon.Add(5 * ms), Value: "RST"}}}
	for partial, want := range map[bool][]string{
		false: {"A>B CHAT 1", "note", "A>B CHAT 1"}, true: {"A>B CHAT 1", "A>B CHAT 1"},
	} {
		s := newScript(Options{Findings: []doctor.Finding{finding}, Partial: partial})
		s.say(0, alice, bob, 36, &wire.Chat{}).say(10*ms, alice, bob, 36, &wire.Chat{})
		assert.Equal(t, want, rows(s.b.Diagram()))
	}
}

// TestEveryMessageOnce draws each capture of the repository in few and in many rows: the messages of all steps are
// those of the capture, and the steps are no more than was asked for.
func TestEveryMessageOnce(t *testing.T) {
	for _, name := range allCaptures(t) {
		for _, most := range []int{1, 2, 7, 40, DefaultRows} {
			b := NewBuilder(Options{Rows: most, Findings: []doctor.Finding{{Evidence: []doctor.Evidence{{N: 3}, {N: 4}, {N: 9}}}}})
			sum := read(t, name, b.Add)
			d := b.Diagram()
			messages, steps, last := 0, 0, 0
			for i := range d.Steps {
				if st := &d.Steps[i]; st.Kind != Silence && st.Kind != Note {
					steps++
					messages += st.Count
					assert.Greater(t, st.N, last, "in order")
					assert.GreaterOrEqual(t, st.LastN, st.N)
					last = st.N
				}
			}
			assert.Equal(t, sum.Messages, messages, "%s in %d rows", name, most)
			assert.Equal(t, sum.Messages, d.Messages)
			assert.LessOrEqual(t, steps, most, "%s", name)
		}
	}
}

// TestBounded adds more different messages than are kept: what is kept stays bounded, nothing is lost, and the
// beginning is still told one by one.
func TestBounded(t *testing.T) {
	const messages = 3 * maxItems
	s := newScript(Options{Rows: 100, Findings: []doctor.Finding{{Evidence: []doctor.Evidence{{N: 20000}}}}})
	for i := range messages {
		peer := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 1, byte(i % 50), 1}), 2300)
		s.b.Add(s.record(peer, &wire.Unknown{Cmd: wire.Command(0x100 + i%97)}))
		require.Less(t, len(s.b.folder.items), maxItems)
	}
	d := s.b.Diagram()
	total, marked := 0, 0
	for i := range d.Steps {
		total += d.Steps[i].Count
		marked += len(d.Steps[i].Findings)
	}
	assert.Equal(t, messages, total)
	assert.Equal(t, 1, marked, "the finding is still there")
	assert.LessOrEqual(t, len(d.Steps), 100)
	assert.Len(t, d.Lanes, maxLanes)
	assert.Equal(t, Others, d.Lanes[maxLanes-1].Kind)
	assert.Equal(t, 51-(maxLanes-1), d.Lanes[maxLanes-1].Machines, "50 and the one they talk to")
}

// record makes a record from alice without adding it.
func (s *script) record(to netip.AddrPort, m wire.Message) *captures.Record {
	s.n++
	s.at += ms
	return made(s.n, s.at, alice, to, m)
}

// TestManySockets meets more sockets than are told apart.
func TestManySockets(t *testing.T) {
	s := newScript(Options{})
	for i := range maxEndpoints + 500 {
		peer := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 1, byte(i >> 8), byte(i)}), 2300)
		s.b.Add(s.record(peer, &wire.Chat{}))
	}
	assert.Len(t, s.b.ends.list, maxEndpoints)
	d := s.b.Diagram()
	assert.Equal(t, maxEndpoints+500+1-(maxLanes-1), d.Lanes[maxLanes-1].Machines)
	assert.Equal(t, "others", d.Lanes[maxLanes-1].Who())
}

// TestManyCommands: a file with commands that nobody assigned does not fill memory with their names.
func TestManyCommands(t *testing.T) {
	s := newScript(Options{})
	for i := range maxCommands + 10 {
		s.b.Add(s.record(bob, &wire.Unknown{Cmd: wire.Command(0x1000 + i)}))
	}
	d := s.b.Diagram()
	assert.Equal(t, "other commands", d.Steps[len(d.Steps)-1].Command)
	assert.Len(t, s.b.names, maxCommands)
}

// TestShrinkKeeps checks with made-up items that shrink neither loses nor doubles a message, whatever is asked.
func TestShrinkKeeps(t *testing.T) {
	for _, n := range []int{1, 5, 100, 1000} {
		for _, most := range []int{1, 2, 3, 10, 99, 2000} {
			var items []item
			for i := range n {
				it := item{Step: Step{N: i + 1, LastN: i + 1, Count: 1, From: i % 3, To: []int{(i + 1) % 3}, Command: fmt.Sprint(i % 40)}}
				if i%7 == 3 {
					it.Findings = []int{i}
				}
				items = append(items, it)
			}
			marks := map[int]bool{}
			total := 0
			got := shrink(items, most)
			for i := range got {
				total += got[i].Count
				for _, f := range got[i].Findings {
					marks[f] = true
				}
			}
			assert.Equal(t, n, total)
			assert.LessOrEqual(t, len(got), most)
			assert.Len(t, marks, (n+3)/7, "%d in %d", n, most)
		}
	}
}
