package trainhost

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	live "dplay4/dpsp/reliable"
	"dplay4/dpsp/sock/socktest"
	"dplay4/wire/reliable"
)

// A linked script is a link to the host, over the script's socket, by the clock of its bubble.
type linked struct {
	*script
	link  *live.Link
	start time.Time
	came  []live.Message
	done  map[uint64]error
	said  uint64
}

func newLinked(t *testing.T, o Options, c live.Config) *linked {
	t.Helper()
	s := newScript(t, o)
	s.playBut("join", 1) // the greeting is for the link
	c.From = 1
	return &linked{script: s, link: live.New(c), start: time.Now(), done: map[uint64]error{}}
}

// run does what the link wants until it is idle and enough messages came.
func (p *linked) run(messages int) {
	p.t.Helper()
	b := make([]byte, maxMessage)
	for end := time.Now().Add(time.Hour); ; {
		now := time.Since(p.start)
		out := p.link.Step(now)
		require.False(p.t, out.Lost)
		for _, f := range out.Frames {
			p.send(p.frames, f)
		}
		p.came = append(p.came, out.Messages...)
		for _, d := range out.Done {
			p.done[d.Token] = d.Err
		}
		if p.link.Idle() && len(p.came) >= messages {
			return
		}
		require.True(p.t, time.Now().Before(end), "%+v, %d messages came", p.link.Stats(), len(p.came))
		wake := end
		if out.Wake != live.Never {
			wake = p.start.Add(out.Wake)
		}
		require.NoError(p.t, p.frames.(interface{ SetReadDeadline(time.Time) error }).SetReadDeadline(wake))
		n, _, _, _, err := p.frames.ReadMsgUDPAddrPort(b, nil)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			continue
		}
		require.NoError(p.t, err)
		f, err := reliable.Decode(b[:n])
		require.NoError(p.t, err)
		p.link.Receive(time.Since(p.start), &f)
	}
}

// say has the link send a message.
func (p *linked) say(data string, reliable bool) {
	p.t.Helper()
	p.said++
	require.NoError(p.t, p.link.Send(live.Message{Data: []byte(data), Reliable: reliable, Token: p.said}))
}

// heardOnce returns what the host took for whole, each as it came first: on a busy machine a frame may be repeated although its
// answer is on the way, and the host takes it again.
func (p *linked) heardOnce() (all []string) {
	p.t.Helper()
	list, err := p.host.Delivered(context.Background(), 0)
	require.NoError(p.t, err)
	known := map[string]bool{}
	for _, m := range list {
		if s := string(m.Data); !known[s] {
			known[s] = true
			all = append(all, s)
		}
	}
	return all
}

// A link of ours hears the greeting, and all that it says arrives, each kind in its order: messages of one frame past the
// wrap of messageids, 4,500 octets, 300 frames.
func TestLink(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newLinked(t, Options{Network: socktest.New()}, live.Config{MaxFrame: 1000})
		p.run(1)
		assert.Len(t, p.came[0].Data, 20)
		var want, plain []string
		for i := range 300 {
			s := fmt.Sprintf("message %d", i)
			if i%3 == 0 {
				s = "plain " + s
				plain = append(plain, s)
			} else {
				want = append(want, s)
			}
			if p.say(s, i%3 != 0); i%24 == 23 {
				p.run(1)
			}
		}
		want = append(want, strings.Repeat("0123456789", 450), strings.Repeat("frames", 300*994/6))
		p.say(want[len(want)-2], true)
		p.say(want[len(want)-1], true)
		p.run(1)
		got := p.heardOnce()
		isPlain := func(s string) bool { return strings.HasPrefix(s, "plain") }
		assert.Equal(t, want, slices.DeleteFunc(slices.Clone(got), isPlain))
		assert.Equal(t, plain, slices.DeleteFunc(got, func(s string) bool { return !isPlain(s) }))
		assert.Len(t, p.done, int(p.said))
		for token, err := range p.done {
			assert.NoError(t, err, token)
		}
	})
}

// With losses each way every message still arrives, although the host acknowledges what it did not get, and forgets what it has of
// a long one when the first frame of it comes again.
func TestLinkLoss(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string]func(n int, rnd *rand.Rand) bool{
		"each seventh": func(n int, _ *rand.Rand) bool { return n%7 == 0 },
		"by chance":    func(_ int, rnd *rand.Rand) bool { return rnd.IntN(5) == 0 },
		"bursts":       func(n int, _ *rand.Rand) bool { return n%40 > 34 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				in, out := rand.New(rand.NewPCG(1, 1)), rand.New(rand.NewPCG(2, 2))
				p := newLinked(t, Options{
					Network: socktest.New(),
					LoseIn:  func(n int) bool { return lost(n, in) },
					LoseOut: func(n int) bool { return n > 1 && lost(n+1, out) },
				}, live.Config{MaxFrame: 1000})
				p.run(1)
				want := map[string]bool{}
				for i := range 200 {
					s := fmt.Sprintf("message %d", i)
					if i%20 == 0 {
						s = strings.Repeat(s, 400)
					}
					want[s] = true
					p.say(s, true)
				}
				p.run(1)
				for _, s := range p.heardOnce() {
					delete(want, s)
				}
				assert.Empty(t, want)
				assert.Len(t, p.done, int(p.said))
				assert.True(t, p.link.Learned(live.AcksHoles))
			})
		})
	}
}

// What the recorded script said, a link of ours says in the same octets, but that it asks for an acknowledgment of the first of
// several frames as well, and it is content with the recorded answers: the greeting needs none, and an ACK ends what it is about.
func TestLinkOctets(t *testing.T) {
	t.Parallel()
	receive := func(l *live.Link, octets string) *live.Output {
		f, err := reliable.Decode(unhex(t, octets))
		require.NoError(t, err)
		l.Receive(time.Millisecond, &f)
		return l.Step(time.Millisecond)
	}
	send := func(l *live.Link, data []byte, heads ...string) {
		t.Helper()
		require.NoError(t, l.Send(live.Message{Data: data, Reliable: true, Token: 7}))
		frames := l.Step(0).Frames
		require.Len(t, frames, len(heads))
		for i, b := range frames {
			assert.Equal(t, heads[i], fmt.Sprintf("%x", b[:6]))
			require.True(t, bytes.HasPrefix(data, b[6:]))
			data = data[len(b)-6:]
		}
		assert.Empty(t, data)
	}
	content := func(l *live.Link, out *live.Output) {
		t.Helper()
		assert.Equal(t, []live.Done{{Token: 7}}, out.Done)
		assert.Empty(t, out.Frames)
		assert.Equal(t, live.Never, out.Wake)
		assert.True(t, l.Idle())
	}
	one := live.New(live.Config{From: 1})
	greeting := receive(one, "0001380101000100010000000000ea032c01ffffffff00000000")
	require.Len(t, greeting.Messages, 1)
	assert.Equal(t, unhex(t, "0100010000000000ea032c01ffffffff00000000"), greeting.Messages[0].Data)
	assert.Empty(t, greeting.Frames)
	assert.Equal(t, live.Never, greeting.Wake)
	send(one, unhex(t, "0000010001000100ea032c011122334400"), "01003d010100")
	content(one, receive(one, "000103010100150000008f070000"))

	four := live.New(live.Config{From: 1, MaxFrame: 1502})
	send(four, make([]byte, 4500), "010035010100", "010021010201", "010021010302", "01002d010403")
	content(four, receive(four, "000103010403a41100009f070000"))
}
