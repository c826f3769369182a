package sock

import (
	"encoding/binary"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp"
	"dplay4/dpsp/sock/socktest"
	"dplay4/dpsp/sock/windowshost"
	"dplay4/wire"
)

// head gives an SP header that promises so many octets, and the octets that come.
func head(size, come int) []byte {
	b := make([]byte, max(come, wire.SPHeaderSize))
	binary.LittleEndian.PutUint32(b, 0xFAB00000|uint32(size))
	b[4] = wire.FamilyINet
	return b
}

// TestHostTalksNonsense joins hosts whose answers make no sense. Each ends the join with words that say what came; where
// nothing more comes the timers do. The program hears of what was dropped before it is in any session.
func TestHostTalksNonsense(t *testing.T) {
	t.Parallel()
	instead := func(c wire.Command, b []byte) windowshost.Manner {
		return windowshost.Manner{Instead: map[wire.Command][]byte{c: b}}
	}
	half := instead(wire.CmdSuperEnumPlayersReply, head(100, 50))
	half.Each = true
	for name, c := range map[string]struct {
		manner  windowshost.Manner
		want    error
		text    string
		dropped bool
		slow    bool // a timer ends it
	}{
		"size 0": {instead(wire.CmdRequestPlayerReply, head(0, 20)), dpsp.ErrNonsense,
			"SPHEADER.size at octet 0: value is not allowed (0)", true, false},
		"HTTP": {instead(wire.CmdRequestPlayerReply, []byte("HTTP/1.1 400 Bad Request\r\n\r\n")), dpsp.ErrNonsense,
			`it begins with "HTTP/1.1 400 Bad Req"`, true, false},
		"cut off": {half, dpsp.ErrNonsense, "points outside the message (100), 50 octets of it came", true, false},
		"silence": {instead(wire.CmdSuperEnumPlayersReply, head(wire.MaxMessage, 50)), dpsp.ErrTimeout,
			"of a message of 1048575 octets", false, true},
		"hangs up": {windowshost.Manner{HangsOn: wire.CmdAddForwardRequest}, dpsp.ErrHungUp,
			"without an answer to ADDFORWARDREQUEST", false, false},
		"hangs up ": {windowshost.Manner{HangsOn: wire.CmdRequestPlayerID}, dpsp.ErrHungUp,
			"without an answer to REQUESTPLAYERID", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := socktest.New()
				at := lane(3)
				c.manner.Network = n
				h, err := windowshost.Open(at[0], testGame, c.manner)
				require.NoError(t, err)
				defer h.Close()
				opt := Options{Bind: at[1], Network: n, Config: dpsp.Config{Reply: time.Minute}}
				if c.slow {
					opt.Config.Reply, opt.Config.Populate = 150*time.Millisecond, 150*time.Millisecond
				}
				s, err := Open(opt)
				require.NoError(t, err)
				defer s.Close()
				ctx := soon(t)
				found, err := s.Find(ctx, Ask{Application: testGame, Hosts: []netip.Addr{at[0]}})
				require.NoError(t, err)
				began := time.Now()
				err = s.Join(ctx, found, "")
				require.ErrorIs(t, err, c.want)
				assert.ErrorContains(t, err, c.text)
				assert.Less(t, time.Since(began), 10*time.Second, "not by the timers of a minute")
				dropped := 0
				for e := range s.Events() {
					if _, ok := e.(dpsp.Dropped); ok {
						dropped++
					}
					if _, ok := e.(dpsp.JoinFailed); ok {
						break
					}
				}
				assert.Equal(t, c.dropped, dropped > 0)
				_, err = s.Find(ctx, Ask{Application: testGame, Hosts: []netip.Addr{at[0]}})
				assert.NoError(t, err, "it can search again")
			})
		})
	}
}

// TestStrangerTalksNonsense has a stranger talk nonsense to a newcomer: that is reported, and the join goes on.
func TestStrangerTalksNonsense(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := socktest.New()
		at := lane(3)
		h, err := windowshost.Open(at[0], testGame, windowshost.Manner{Deaf: 1, Network: n})
		require.NoError(t, err)
		defer h.Close()
		s, err := Open(Options{Bind: at[1], Network: n})
		require.NoError(t, err)
		defer s.Close()
		ctx := soon(t)
		found, err := s.Find(ctx, Ask{Application: testGame, Hosts: []netip.Addr{at[0]}})
		require.NoError(t, err)
		joined := make(chan error, 1)
		go func() { joined <- s.Join(ctx, found, "") }()
		eventually(t, "it asks", func() bool { return h.Heard(wire.CmdRequestPlayerID) == 1 })
		c := dialFrom(t, s, at[2])
		_, err = c.Write([]byte("GET / HTTP/1.1\r\nHost: newcomer\r\n\r\n"))
		require.NoError(t, err)
		for e := range s.Events() {
			if d, ok := e.(dpsp.Dropped); ok {
				assert.Equal(t, dpsp.Malformed, d.Reason)
				assert.Equal(t, at[2], d.From.Addr())
				break
			}
		}
		assert.NoError(t, <-joined)
	})
}

// TestSearchLongAgo joins a host long after it answered: that it keeps the connection of its answer is no reason for us to
// have it open for ever, but what it says there is heard; and if we closed it for good, the host is asked once more.
func TestSearchLongAgo(t *testing.T) {
	t.Parallel()
	for _, forGood := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			n := socktest.New()
			at := lane(3)
			h, err := windowshost.Open(at[0], testGame, windowshost.Manner{Network: n})
			require.NoError(t, err)
			defer h.Close()
			opt := Options{Bind: at[1], Network: n, limits: defaults}
			opt.limits.silence = 20 * time.Millisecond
			if forGood {
				opt.limits.lastWord = time.Nanosecond
			}
			s, err := Open(opt)
			require.NoError(t, err)
			defer s.Close()
			ctx := soon(t)
			found, err := s.Find(ctx, Ask{Application: testGame, Hosts: []netip.Addr{at[0]}})
			require.NoError(t, err)
			connections := func() (open, waned int) {
				s.loop.mu.Lock()
				defer s.loop.mu.Unlock()
				for i := range s.loop.inbound {
					open++
					if i.waned.Load() {
						waned++
					}
				}
				return open, waned
			}
			eventually(t, "our end is closed", func() bool {
				open, waned := connections()
				return forGood && open == 0 || !forGood && waned == 1
			})
			require.NoError(t, s.Join(ctx, found, ""))
			if forGood { // its first answer is lost, by the second one it learns that the connection is dead
				assert.Equal(t, 2, h.Opened())
				assert.Equal(t, 3, h.Heard(wire.CmdRequestPlayerID))
			} else {
				assert.Equal(t, 1, h.Opened())
				assert.Equal(t, 1, h.Heard(wire.CmdRequestPlayerID))
			}
		})
	}
}
