package bridging

import (
	"dplay4/dpsp/bridge"
	"dplay4/dpsp/bridge/local"
)

// A letting is whether games of this machine may host although that of another one does, and so do not find its session: as the
// user asked last.
type letting bool

// learn takes in an event: with what a game here hosted this is over as well.
func (l *letting) learn(e bridge.Event) {
	if h, is := inner(e).(local.Hosting); is && !h.On {
		*l = false
	}
}

// back returns what takes it back; "": it is not so.
func (l letting) back(by string) string {
	if !l {
		return ""
	}
	return by
}
