package draw

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/internal/madeup"
	"dplay4/wire"
	"dplay4/wire/reliable"
)

// The flags of frames, and the sockets of Ann and Bob.
const (
	asking = reliable.CMD | reliable.STA | reliable.EOM | reliable.SAK | reliable.RLY
	ann    = "10.0.0.1:2350"
	robert = "10.0.0.2:2350"
)

// lossy is a session with the reliable protocol, in which Ann, index 1, speaks to Bob, index 2, and not everything arrives.
func lossy(t *testing.T, talk func(say func(id, serial uint8, text string), answer func(f reliable.Frame))) []byte {
	n := madeup.New(t)
	n.UDP(ann, robert, madeup.System(2300, &wire.SuperEnumPlayersReply{
		Desc: wire.SessionDesc{Instance: wire.GUID{1}, Flags: wire.SessionDirectPlayProtocol}, Name: wire.NewText("s"),
		Players: []wire.SuperPackedPlayer{
			{ID: 1, ShortName: wire.NewText("Ann"), SPData: madeup.SPData("10.0.0.1:2300", ann)},
			{ID: 2, ShortName: wire.NewText("Bob"), SPData: madeup.SPData("10.0.0.2:2300", robert)},
		},
	}))
	send := func(from, to string, f reliable.Frame) {
		b, err := f.Append(nil)
		require.NoError(t, err)
		n.UDP(from, to, b)
	}
	talk(func(id, serial uint8, text string) {
		send(ann, robert, reliable.Frame{From: 1, To: 2, Flags: asking, MessageID: id, Sequence: 1, Serial: serial, Data: []byte(text)})
	}, func(f reliable.Frame) {
		f.From, f.To = 2, 1
		send(robert, ann, f)
	})
	return n.Bytes()
}

// few is a lossy session of a few frames.
func few(t *testing.T) []byte {
	return lossy(t, func(say func(uint8, uint8, string), answer func(reliable.Frame)) {
		say(1, 0, "lost") // message 2
		say(1, 1, "lost")
		answer(reliable.Frame{Flags: reliable.ACK | reliable.RLY, MessageID: 1, Sequence: 1, Serial: 1, BytesReceived: 8})
		say(4, 0, "after a gap")
		answer(reliable.Frame{Flags: reliable.ACK | reliable.EXT, MessageID: 4, Sequence: 1, BytesReceived: 8})
	})
}

// reported draws a capture as a report.
func reported(t *testing.T, file []byte) *Report {
	r := NewReport(Options{Title: "lossy"})
	_, err := captures.Read(context.Background(), bytes.NewReader(file), captures.Options{}, func(rec *captures.Record) error {
		r.Add(rec)
		return nil
	}, nil)
	require.NoError(t, err)
	return r
}

// TestReliable: what is sent again, what stays without an answer, ACKs, NACKs and gaps are told apart in every format.
func TestReliable(t *testing.T) {
	r := reported(t, few(t))
	d := r.Builder().Diagram()
	var got []string
	for i := range d.Steps {
		s := &d.Steps[i]
		got = append(got, strings.Join([]string{s.Class.String(), s.Command, strings.Repeat("lost", s.Lost)}, " "))
	}
	assert.Equal(t, []string{"system SUPERENUMPLAYERSREPLY ", "game PLAYERMESSAGE lost", "again PLAYERMESSAGE again ", "answer RELIABLE_ACK ",
		"again PLAYERMESSAGE after a gap lost", "missed RELIABLE_NACK "}, got)

	text := string(d.AppendText(nil, TextOptions{Width: 130}))
	assert.Contains(t, text, "●───────────────×       │  PLAYERMESSAGE no answer frame=")
	assert.Contains(t, text, "●──────────────────────▶│  PLAYERMESSAGE again frame=")
	assert.Contains(t, text, "│◀──────────────────────●  RELIABLE_NACK ")
	assert.Contains(t, string(d.AppendText(nil, TextOptions{Color: true})), "\x1b[33mPLAYERMESSAGE again\x1b[0m")
	ascii := string(d.AppendText(nil, TextOptions{Width: 130, ASCII: true}))
	assert.Contains(t, ascii, "o---------------x       |")

	svg := string(d.AppendSVG(nil))
	assert.Equal(t, 3, strings.Count(svg, `class="a cross"`), "and one in the legend")
	assert.Contains(t, svg, "sent again, or after a gap")
	assert.Contains(t, svg, `<g class="again udp go" data-n="3">`)
	assert.Contains(t, svg, `<g class="answer udp go" data-n="4">`)
	assert.Contains(t, svg, `<g class="missed udp go" data-n="6">`)
	mermaid := string(d.AppendMermaid(nil))
	assert.Contains(t, mermaid, "    L0--xL1: PLAYERMESSAGE no answer")
	assert.Contains(t, mermaid, "    L0-->>L1: PLAYERMESSAGE again")

	trips := r.trips.lines(d.lanes)
	require.Len(t, trips, 1)
	assert.Equal(t, []float64{1}, trips[0].MS, "from the frame that was sent again to its ACK")
	var out bytes.Buffer
	require.NoError(t, r.Write(&out, nil))
	assert.Contains(t, out.String(), `"classes":["system","game","ping","failed","answer","again","missed"]`)
}

// TestReliableFolds: of many frames the folds count those without an answer.
func TestReliableFolds(t *testing.T) {
	d := reported(t, lossy(t, func(say func(uint8, uint8, string), answer func(reliable.Frame)) {
		for id := range uint8(60) {
			say(id, 0, "a move")
			if id%10 == 9 {
				say(id, 1, "a move")
			}
			answer(reliable.Frame{Flags: reliable.ACK | reliable.RLY, MessageID: id, Sequence: 1, Serial: id % 10 / 9})
		}
	})).Builder().Diagram()
	var got []string
	for i := range d.Steps {
		got = append(got, d.Steps[i].Label()+": "+d.Steps[i].Details())
	}
	assert.Len(t, got, 4)
	assert.Contains(t, got[1], "PLAYERMESSAGE ×60: 60 messages, 12 octets, over ")
	assert.Contains(t, got[1], ", 6 without an answer")
	assert.Contains(t, got[2], "RELIABLE_ACK ×60")
	assert.Contains(t, got[3], "PLAYERMESSAGE again ×6")
	assert.NotContains(t, got[3], "without")
}

// TestReliableTurn: an arrow to the left stops on its way as well.
func TestReliableTurn(t *testing.T) {
	s := newScript(Options{})
	s.say(0, alice, bob, 30, &wire.Ping{})
	s.say(time.Millisecond, carol, bob, 30, &wire.Ping{})
	d := s.b.Diagram()
	d.Steps[1].Lost = 1
	text := string(d.AppendText(nil, TextOptions{Width: 130}))
	assert.Contains(t, text, "│                       │       ×───────────────●")
	d.Steps[1].From, d.Steps[1].To = 2, []int{0}
	text = string(d.AppendText(nil, TextOptions{Width: 130}))
	assert.Contains(t, text, "│               ×───────┼───────────────────────●")
	assert.Contains(t, string(d.AppendSVG(nil)), `class="a cross"`)
}
