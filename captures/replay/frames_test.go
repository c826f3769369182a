package replay

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/wire"
)

// What our engine sends as frames of the reliable protocol is counted: they are no game messages with odd ids.
func TestFramesAreCounted(t *testing.T) {
	was := desc
	defer func() { desc = was }()
	desc.Flags |= wire.SessionDirectPlayProtocol
	m := newMadeUp(t)
	joins(m)
	m.say(joinerIP, hostIP, &wire.Ping{From: joiner, Tick: 5})
	m.say(hostIP, joinerIP, &wire.PingReply{From: system, Tick: 5})
	h := parties(t, m.capture(), Options{As: Host})[hostIP+":2300"]
	assert.Empty(t, h.NotPlayed)
	assert.Zero(t, h.Extra, h.Differences)
	assert.NotZero(t, h.Frames.Data)
	assert.Contains(t, string(AppendParty(nil, &h, false)), "frames of the reliable protocol, not compared: ours sends ")
}
