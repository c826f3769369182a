package draw

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"dplay4/captures/doctor"
)

// TestCleaned holds how the doctor's findings become a picture's.
func TestCleaned(t *testing.T) {
	list := []doctor.Finding{
		{Code: "a\x1b", Severity: doctor.Failure, Text: "t\x1b", Cause: "c\x1b", Advice: "d\x1b", More: 2, Evidence: []doctor.Evidence{
			{Frame: 7, N: 3, Message: "CHAT", Field: "IDTo", Value: "0"}, {Frame: 9, Message: "RST\x1b"}, {Message: "port", Value: "47624"}}},
		{Severity: doctor.Warning}, {Severity: doctor.Note}, {Severity: doctor.Information},
	}
	got := cleaned(list)
	assert.Equal(t, [4]string{"a\ufffd", "t\ufffd", "c\ufffd", "d\ufffd"}, [4]string{string(got[0].Code), got[0].Text, got[0].Cause, got[0].Advice})
	assert.Equal(t, 2, got[0].More)
	for i, want := range []string{"CHAT IDTo=0", "RST\ufffd", "port 47624"} {
		assert.Equal(t, want, got[0].Evidence[i].Value)
	}
	assert.Equal(t, [2]int{7, 3}, [2]int{got[0].Evidence[0].Frame, got[0].Evidence[0].N})
	for i, want := range []doctor.Severity{doctor.Failure, doctor.Warning, doctor.Note, doctor.Note} {
		assert.Equal(t, want, got[i].Severity)
	}
	assert.Equal(t, "0", list[0].Evidence[0].Value, "the doctor's own findings stay")
}
