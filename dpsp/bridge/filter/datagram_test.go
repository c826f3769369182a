package filter

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// find returns the golden message of a name.
func find(t *testing.T, name string) sample {
	t.Helper()
	for _, s := range golden(t) {
		if s.name == name {
			return s
		}
	}
	require.Fail(t, name)
	return sample{}
}

// TestDatagrams: the game's own datagrams and frames of the reliable protocol pass, and system messages whose size is theirs.
func TestDatagrams(t *testing.T) {
	ping := find(t, "PING")
	d := NewDatagrams(ping.rule)
	for what, b := range map[string][]byte{
		"a message of the game": []byte("\xeb\x03\x00\x00\x00\x00\x00\x00hello"),
		"a frame":               []byte("\x35\x00\x02\x01play\x2e\x00\x0e\x00"),
		"the largest":           make([]byte, 65507),
		"one octet":             {0},
		"a ping":                ping.raw,
	} {
		assert.NoError(t, d.Check(b), what)
	}
	sized := func(size int) []byte {
		b := append([]byte{}, ping.raw...)
		binary.LittleEndian.PutUint32(b, uint32(size)|uint32(wire.TokenRemote)<<20)
		return b
	}
	for what, b := range map[string][]byte{
		"empty": {}, "too large": make([]byte, 65508), "its size is none": sized(19), "its size is larger": sized(len(ping.raw) + 1),
		"its size is smaller": sized(len(ping.raw) - 1), "it is cut": append(headOf(6), "play\x16\x00"...),
	} {
		assert.Error(t, d.Check(b), what)
	}
}

// TestRequests: only requests for sessions go to port 47624, and not too many of them.
func TestRequests(t *testing.T) {
	ask := find(t, "ENUMSESSIONS")
	r := NewRequests(ask.rule)
	for range requests {
		require.NoError(t, r.Check(time.Hour, ask.raw))
	}
	assert.ErrorContains(t, r.Check(time.Hour, ask.raw), "too many")
	assert.NoError(t, r.Check(time.Hour+requestEvery, ask.raw), "one more some time later")
	assert.Error(t, r.Check(time.Hour+requestEvery, ask.raw))
	now := 2 * time.Hour
	for _, s := range samples(t) {
		now += time.Minute
		err := NewRequests(s.rule).Check(now, s.raw)
		assert.Equal(t, strings.HasPrefix(s.name, "ENUMSESSIONS") && !strings.HasPrefix(s.name, "ENUMSESSIONSREPLY"), err == nil, "%s: %v",
			s.name, err)
	}
	bad := append([]byte{}, ask.raw...)
	copy(bad[8:], []byte{10, 0, 0, 1})
	assert.Error(t, r.Check(now, bad), "the answer would go to another machine")
	bad = append([]byte{}, ask.raw...)
	binary.BigEndian.PutUint16(bad[6:], 2342)
	assert.Error(t, r.Check(now, bad), "the answer would go to another slot")
	most := octets(t, &wire.EnumSessions{Password: append(bytes.Repeat([]byte("x\x00"), (MaxRequest-52)/2-1), 0, 0)})
	most = append(headOf(len(most)), most...)
	copy(most[4:20], ask.raw[4:])
	require.Len(t, most, MaxRequest)
	require.NoError(t, r.Check(now, most))
	large := append(append([]byte{}, ask.raw...), make([]byte, MaxRequest)...)
	binary.LittleEndian.PutUint32(large, uint32(len(large))|uint32(wire.TokenRemote)<<20)
	assert.ErrorContains(t, r.Check(now, large), "too large")
	for n := range ask.raw {
		assert.Error(t, r.Check(now, ask.raw[:n]))
	}
}
