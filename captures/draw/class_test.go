package draw

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/captures"
	"dplay4/wire"
	"dplay4/wire/reliable"
)

// TestClass holds what messages are about, and which of them repeat.
func TestClass(t *testing.T) {
	object := func(op wire.ExtensionKind) wire.Message { return wire.NewExtension(1, &wire.ExtensionObject{Op: op}) }
	for i, c := range []struct {
		m       wire.Message
		want    Class
		repeats bool
	}{
		{&wire.PlayerMessage{}, Game, true},
		{&wire.Voice{}, Game, true},
		{&wire.Packet{}, Game, true},
		{&wire.Chat{}, System, false},
		{&wire.CreatePlayer{}, System, false},
		{&wire.Ping{}, Ping, true},
		{&wire.PingReply{}, Ping, true},
		{&wire.Ask4Multicast{Inner: wire.Inner{Message: &wire.PlayerMessage{}}}, Game, true},
		{&wire.Ask4MulticastGuaranteed{}, Game, true},
		{&wire.MulticastDelivery{Inner: wire.Inner{Message: &wire.Chat{}}}, System, false},
		{&wire.Signed{Inner: wire.Inner{Message: &wire.DeletePlayer{}}}, System, false},
		{object(wire.KindObjectUpdate), System, true},
		{object(wire.KindObjectAck), System, true},
		{object(wire.KindObjectMigrate), System, false},
		{wire.NewExtension(1, &wire.ExtensionHello{}), System, false},
	} {
		class, repeats := classOf(&captures.Record{Envelope: wire.Envelope{Message: c.m}})
		assert.Equal(t, c.want, class, "%d", i)
		assert.Equal(t, c.repeats, repeats, "%d", i)
	}
	class, repeats := classOf(&captures.Record{Frame: new(reliable.Frame)})
	assert.Equal(t, Game, class)
	assert.True(t, repeats)
	class, repeats = classOf(&captures.Record{Err: assert.AnError, Envelope: wire.Envelope{Message: &wire.Ping{}}})
	assert.Equal(t, Failed, class)
	assert.False(t, repeats)
}
