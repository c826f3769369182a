package link

import (
	"fmt"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRefused: a relay that wants other credentials is not asked all the time, and has us again once it takes ours.
func TestRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testRefused)
}

func testRefused(t *testing.T) {
	n := newInternet(t)
	r := n.relay(1)
	at := n.home(noNAT).host()
	n.start()
	r.shut.Store(true)
	r.begin()
	m := mesh(t, Config{Code: codeOf(r), Net: at})
	var refused *RefusedError
	require.ErrorAs(t, m.Ready(within(t)), &refused)
	<-time.After(10 * time.Minute)
	assert.Less(t, r.asked.Load(), int64(100), "three a time")
	r.shut.Store(false)
	require.Eventually(t, func() bool { return len(m.Addresses()) == 1 }, 2*time.Minute, 100*time.Millisecond)
}

// TestNoWay: a machine without a network does not take it for the relay's fault.
func TestNoWay(t *testing.T) {
	t.Parallel()
	cable := fmt.Errorf("UDP 203.0.113.5:3478: %w", syscall.ENETUNREACH)
	require.Equal(t, ErrNoWay, trouble([]error{cable, cable}))
	err := trouble([]error{cable, fmt.Errorf("TCP 203.0.113.6:3478: %w", syscall.ECONNREFUSED)})
	require.ErrorIs(t, err, ErrUnreachable)
	assert.NotErrorIs(t, err, ErrNoWay)
}
