package show_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/captures"
	"dplay4/captures/show"
	"dplay4/wire"
)

// TestTreePayload: all octets of a payload are in the tree, unless they are not wanted.
func TestTreePayload(t *testing.T) {
	for format, want := range map[show.PayloadFormat]string{
		show.PayloadHex: "VoiceData: 3 octets 00ff78\n", show.PayloadBase64: "VoiceData: 3 octets AP94\n",
		show.PayloadNone: "VoiceData: 3 octets\n", show.PayloadText: `VoiceData: 3 octets "\x00\xffx"` + "\n",
	} {
		one(t, &wire.Voice{Data: []byte{0, 0xff, 'x'}}, func(r *captures.Record) {
			tree := show.Tree{Payload: format}
			assert.Contains(t, string(tree.Append(nil, r)), want)
		})
	}
}

// TestTreeAfterError: a message that ends inside a structure does not indent the next one.
func TestTreeAfterError(t *testing.T) {
	var tree show.Tree
	var trees []string
	broken := cut(sys(nested()), 40)
	each(t, pcap(t, packet{src: "10.0.0.2:2350", dst: "10.0.0.1:2350", payload: broken},
		packet{src: "10.0.0.2:2350", dst: "10.0.0.1:2350", payload: sys(&wire.Ping{})}),
		captures.Options{}, func(r *captures.Record) { trees = append(trees, string(tree.Append(nil, r))) })
	assert.Contains(t, trees[0], "BroadcastMessage: SIGNED\n")
	for line := range strings.Lines(trees[1]) {
		assert.Regexp(t, `^ {8}[ 0-9]{6}  [A-Za-z]`, line)
	}
}

// TestHexDump writes rows of 16.
func TestHexDump(t *testing.T) {
	assert.Equal(t, "x", string(show.HexDump([]byte("x"), nil)))
	got := show.HexDump(nil, []byte("DirectPlay 4\x00\x1b\x7f\xff!"))
	assert.Equal(t, ""+
		"        0000  44 69 72 65 63 74 50 6c  61 79 20 34 00 1b 7f ff  |DirectPlay 4....|\n"+
		"        0010  21                                                |!|\n", string(got))
}
