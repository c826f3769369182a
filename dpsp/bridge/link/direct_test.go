package link

import (
	"fmt"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pion/ice/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"
)

// TestCandidates: a member cannot have this machine call games and services, or a third machine more than a little.
func TestCandidates(t *testing.T) {
	t.Parallel()
	line := func(address string, port int) ice.Candidate {
		c, err := ice.UnmarshalCandidate(fmt.Sprintf("1 1 udp 2130706431 %s %d typ host", address, port))
		require.NoError(t, err)
		return c
	}
	admitted := new(try)
	for _, c := range []struct {
		address string
		port    int
		want    bool
	}{
		{"192.0.2.1", 40000, true},
		{"192.168.1.1", 1024, true},
		{"2001:db8::1", 40000, true},
		{"fe80::1", 40000, true},
		{"127.0.0.1", 40000, false},
		{"::1", 40000, false},
		{"::ffff:127.0.0.1", 40000, false},
		{"0.0.0.0", 40000, false},
		{"224.0.0.251", 5353, false},
		{"255.255.255.255", 40000, false},
		{"192.168.1.1", 53, false},
		{"192.168.1.1", 2300, false},
		{"192.168.1.1", 2350, false},
		{"192.168.1.1", 47624, false},
		{"machine.local", 40000, false},
	} {
		assert.Equal(t, c.want, admitted.admits(line(c.address, c.port)), c.address, c.port)
	}
	third, many := new(try), new(try)
	for i := range 100 {
		assert.Equal(t, i < candidateEach, third.admits(line("192.0.2.1", 40000+i)))
		assert.Equal(t, i < hostMost, many.admits(line(fmt.Sprintf("192.0.2.%d", i+1), 40000)))
	}
	for i := range 100 {
		c, err := ice.UnmarshalCandidate(fmt.Sprintf("1 1 udp 1694498815 198.51.100.%d 40000 typ srflx raddr 0.0.0.0 rport 0", i+1))
		require.NoError(t, err)
		assert.Equal(t, i < candidateMost-hostMost, many.admits(c), "a router's address has a place")
	}
}

// TestAttempts checks that the other side, which can ask for attempts as often as it wishes, gets six at once and six in each later
// minute.
func TestAttempts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		require.NoError(t, theirs.Close())
		d := &director{mesh: &Mesh{socket: newSocket(nil, time.Now), config: Config{Net: newSystem()}},
			link:  &connection{signals: &signals{stream: ours}}, // nothing can be sent, so that no attempt goes on
			asked: rate.NewLimiter(rate.Every(attemptsEach), attemptsMost), trying: new(try)}
		for minute := range uint32(3) {
			for range 100 {
				d.signal(t.Context(), signal{Attempt: d.attempt + 1})
			}
			assert.Equal(t, 6*(minute+1), d.attempt)
			<-time.After(time.Minute)
		}
		d.give()
		d.done.Wait()
	})
}
