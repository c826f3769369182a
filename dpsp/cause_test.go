package dpsp

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/wire"
)

// documented are the causes of cause.go. The test network fails on an event with another one.
var documented = map[Cause]bool{CauseLeft: true, CauseClosed: true, CauseSilent: true, CauseReplaced: true, CauseRemoved: true,
	CauseOtherHost: true}

// causeOf returns the cause of a loss; false for other events.
func causeOf(e Event) (Cause, bool) {
	switch e := e.(type) {
	case SessionLost:
		return e.Cause, true
	case HostLost:
		return e.Cause, true
	case PeerLost:
		return e.Cause, true
	}
	return "", false
}

// TestCauses: a session without MIGRATEHOST is lost for the reason that its host is, and a silent member is lost as such.
func TestCauses(t *testing.T) {
	w, n, _ := session(t, wire.SessionKeepAlive, 1, Config{})
	n[1].closed = true
	w.run(DefaultPeriod * 11)
	lost := take[PeerLost](n[0])
	if assert.Len(t, lost, 1) {
		assert.Equal(t, CauseSilent, lost[0].Cause)
	}
	w, n, _ = session(t, 0, 1, Config{})
	w.must(n[0], Leave{})
	assert.Equal(t, []SessionLost{{Cause: CauseLeft, Reason: "the host is gone: it left"}}, take[SessionLost](n[1]))
}
