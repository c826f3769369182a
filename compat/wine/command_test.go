package wine_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/compat/wine"
	"dplay4/wire"
)

func TestCommandLine(t *testing.T) {
	for want, c := range map[string]wine.Command{
		"quit\n":                             wine.Cmd("quit"),
		"join \"a b\" password=\"c=\\\"\"\n": wine.Cmd("join", "a b").With("password", `c="`),
		"send \"0x00000007\" \"\\\\\" guaranteed\n": wine.Cmd("send", wine.Word(7).String(), `\`).Flag("guaranteed"),
		"wait \"\"\n": wine.Cmd("wait", ""),
	} {
		line, err := c.Line()
		require.NoError(t, err)
		assert.Equal(t, want, string(line))
	}
	base := wine.Cmd("enum", "x")
	_ = base.With("flags", 1)
	assert.Equal(t, `enum "x"`, base.String(), "With changes nothing but what it gives")
}

func TestCommandRefused(t *testing.T) {
	for reason, c := range map[string]wine.Command{
		"not a name":        wine.Cmd("two words"),
		`command ""`:        wine.Cmd(""),
		"the end of a line": wine.Cmd("send", "all", "a\nquit"),
		"holds the end":     wine.Cmd("join", "x").With("password", "\x00"),
		"are too many":      wine.Cmd("send", "all", strings.Repeat("0", 1<<20)),
	} {
		_, err := c.Line()
		assert.ErrorContains(t, err, reason)
	}
}

// TestOctets pins the generator that the client's source documents: both sides have to agree on it. The figures were
// computed by hand from the formula.
func TestOctets(t *testing.T) {
	// 1013904223 = 0x3C6EF35F; 0x3C6EF35F*1664525 + 1013904223 = 0x47502932 modulo 2^32.
	assert.Equal(t, []byte{0x3c, 0x47}, wine.Octets(2, 0))
	assert.Empty(t, wine.Octets(0, 5))
	assert.NotEqual(t, wine.Octets(100, 1), wine.Octets(100, 2))
}

func TestParseLine(t *testing.T) {
	e, r, err := wine.ParseLine([]byte(`{"event":"player_created","t":12,"id":"0x000384c9","count":3,"short":"Zo\u00eb",` +
		`"long":null,"size":2,"crc32":"0x00000001","data":"00ff"}`))
	require.NoError(t, err)
	assert.Nil(t, r)
	assert.Equal(t, "player_created", e.Name)
	assert.Equal(t, wire.PlayerID(0x384c9), wire.PlayerID(e.ID))
	assert.Equal(t, "Zoë", *e.Short)
	assert.Nil(t, e.Long)
	assert.Equal(t, wine.Data{Size: 2, CRC32: 1, Data: wine.Hex{0, 0xff}}, e.Data)

	e, r, err = wine.ParseLine([]byte(`{"result":"join","seq":4,"ok":false,"hr":"DPERR_TIMEOUT","hr_hex":"0x887700f0","ms":5}`))
	require.NoError(t, err)
	assert.Nil(t, e)
	assert.Equal(t, 4, r.Seq)
	assert.Equal(t, wire.ErrTimeout, wire.HResult(r.HRHex))
	assert.EqualError(t, r.Err(), "join: DPERR_TIMEOUT (0x887700f0)")
	r.Problem = "no such command"
	assert.EqualError(t, r.Err(), "join: no such command")

	for _, line := range []string{``, `{`, `[]`, `{}`, `{"event":1}`, `{"event":"x","id":"y"}`, `{"event":"x","data":"0"}`,
		`{"result":"x","seq":"1"}`, `{"result":"enum","sessions":[{"instance":"{}"}]}`, `{"event":"x","id":"0x100000000"}`} {
		_, _, err := wine.ParseLine([]byte(line))
		assert.ErrorContains(t, err, "the client wrote", line)
	}
}
