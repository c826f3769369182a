package captures_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"dplay4/captures"
	"dplay4/internal/processor"
	"dplay4/wire"
)

const skipLimit = int(captures.SkipLimit)

// TestTooManyUnfinished: messages that are all unfinished at once are bounded together. What is given up is
// counted, and behind its end the next message is found again.
func TestTooManyUnfinished(t *testing.T) {
	const each, peers, sent = wire.MaxMessage, 40, 17 * 60_000
	n := newNetwork(t)
	msg := resize(game(2300, 5, 6, ""), each)
	msg = append(msg, make([]byte, each-len(msg))...)
	var conns []*conn
	for i := range peers {
		conns = append(conns, n.tcp(fmt.Sprintf("10.1.0.%d:1025", i+1), host+":2300"))
	}
	for at := 0; at < sent; at += 60_000 {
		for _, c := range conns {
			c.send(msg[at : at+60_000])
		}
	}
	for _, c := range conns {
		c.send(msg[sent:], ping(1))
	}
	pings, whole := 0, 0
	s := n.count(func(r *captures.Record) {
		switch {
		case r.Command() == "PING":
			pings++
		case len(r.Raw) == each:
			whole++
		}
	})
	assert.Equal(t, peers, pings, "each stream goes on behind the message")
	given := s.ByCode[captures.LimitReached]
	assert.NotZero(t, given)
	assert.Equal(t, peers, whole+given)
	assert.Greater(t, whole, 30, "32 MiB hold so many")
	assert.EqualValues(t, peers*(each+36), s.TCP.Octets)
	assert.EqualValues(t, whole*each+pings*36, s.TCP.Decoded)
	assert.NotZero(t, s.TCP.Skipped[skipLimit])
	assert.EqualValues(t, given*each, s.TCP.Skipped[skipLimit]+s.TCP.Skipped[skipIncomplete])
}

// TestTooManyFrames: an unfinished message in very many frames costs more than its octets, and counts for it.
func TestTooManyFrames(t *testing.T) {
	count, reached := 1_000_000, 1 // 41 octets each, of 32 MiB
	if raced {
		count, reached = 100_000, 0
	}
	n := newNetwork(t)
	c := n.tcp(joiner+":1025", host+":2300")
	c.send(resize(game(2300, 5, 6, ""), 0xfffff))
	one := make([]byte, 1)
	at := n.File.Len()
	c.send(one)
	frame := append([]byte(nil), n.Bytes()[at:]...)
	n.File.Grow(count * len(frame))
	for range count {
		frame[16+14+20+4+3]++ // the sequence number
		for i := 2; i >= 0 && frame[16+14+20+4+i+1] == 0; i-- {
			frame[16+14+20+4+i]++
		}
		n.File.Write(frame)
	}
	s := n.count(func(*captures.Record) {})
	assert.Equal(t, account(0, 0, skipLimit, int(s.TCP.Skipped[skipLimit]), skipIncomplete, int(s.TCP.Skipped[skipIncomplete])),
		s.TCP)
	assert.EqualValues(t, 28+1+count, s.TCP.Octets)
	assert.Equal(t, reached, s.ByCode[captures.LimitReached])
}

// TestFakeHeaders fills an unfinished message with headers that all promise more than there is. Giving it up
// must take time by its octets, not by their square.
func TestFakeHeaders(t *testing.T) {
	n := newNetwork(t)
	c := n.tcp(joiner+":1025", host+":2300")
	fake := resize(ping(1)[:20], 0xfffff)
	many := bytes.Repeat(fake, 3000)
	total := 0
	for total+len(many) < 0xfffff {
		c.send(many)
		total += len(many)
	}
	c.send(ping(2))
	c.fin()
	began := processor.Time()
	pings := 0
	s := n.count(func(*captures.Record) { pings++ })
	assert.Equal(t, 1, pings)
	assert.Equal(t, account(36, 0, skipIncomplete, total), s.TCP)
	assert.Equal(t, total/20, s.ByCode[captures.MessageIncomplete])
	assert.Less(t, processor.Time()-began, 2*time.Second, "of the processor")
}
