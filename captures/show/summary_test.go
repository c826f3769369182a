package show

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/captures"
)

// TestSummary holds the paragraph for files of all kinds against what it should say.
func TestSummary(t *testing.T) {
	var skipped, wrong captures.Account
	skipped = captures.Account{Octets: 100, Decoded: 60, Lost: 7}
	skipped.Skipped[captures.SkipBefore], skipped.Skipped[captures.SkipTrailing] = 30, 10
	wrong = captures.Account{Octets: 100, Decoded: 60}
	for want, s := range map[string]captures.Summary{
		"0 frames, 0 of them with DirectPlay 4; 0 messages. No findings.\n": {},
		"1 frame, 1 of them with DirectPlay 4; 1 message. UDP: 52 octets, all decoded. Every octet is accounted for. No findings.\n": {
			Frames: 1, FramesWith: 1, Messages: 1, UDP: captures.Account{Octets: 52, Decoded: 52}},
		"9 frames, 5 of them with DirectPlay 4; 3 messages. TCP, 1 stream: 100 octets, 60 decoded, 30 skipped (before the first " +
			"header of a stream that began before the capture), " +
			"10 skipped (after the size in a datagram's header); 7 more are missing from the file. 12 octets came again. 36 octets of " +
			"these streams belong nowhere in them. Every octet is accounted for. 3 findings: octets-lost 2, octets-skipped 1.\n": {
			Frames: 9, FramesWith: 5, Messages: 3, TCP: skipped, Streams: 1, Duplicate: 12, Stray: 36,
			Findings: 3, ByCode: map[captures.Code]int{captures.OctetsSkipped: 1, captures.OctetsLost: 2}},
		"2 frames, 2 of them with DirectPlay 4; 2 messages. TCP, 2 streams: 100 octets, 60 decoded. NOT every octet is accounted " +
			"for: this is an error of this program, please report it. No findings.\n": {
			Frames: 2, FramesWith: 2, Messages: 2, TCP: wrong, Streams: 2},
	} {
		assert.Equal(t, "x"+want, string(AppendSummary([]byte("x"), &s)))
	}
}
