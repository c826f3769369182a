package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDiffCommand compares captures in both formats.
func TestDiffCommand(t *testing.T) {
	got := dplay(t, "diff", lab(t, "04"), lab(t, "04"))
	assert.Equal(t, exitOK, got.status, got.err)
	assert.Equal(t, "15 pairs of messages compared, 15 equal; 0 only in A, 0 only in B\n", got.out)
	got = dplay(t, "diff", "--columns", lab(t, "02"), lab(t, "04"))
	assert.Equal(t, exitFindings, got.status, got.err)
	assert.Contains(t, got.out, "only A: message 10, frame 45 PLAYERMESSAGE: IDFrom=0x000003eb PlayerMessage=11 octets")
	assert.Contains(t, got.out, "PLAYERMESSAGE with 10 octets of payload, 3 times:\n  offset 0-7: always 7731307564702023\n  offset 8: 3 values\n")

	got = dplay(t, "diff", "--columns", "--format", "ndjson", lab(t, "02"), lab(t, "04"))
	assert.Equal(t, exitFindings, got.status, got.err)
	types := map[string]int{}
	var last map[string]any
	for line := range strings.Lines(got.out) {
		last = nil
		require.NoError(t, json.Unmarshal([]byte(line), &last))
		types[last["type"].(string)]++
	}
	assert.Equal(t, map[string]int{"difference": 12, "columns": 3, "result": 1}, types, got.out)
	assert.Equal(t, "result", last["type"])

	for _, c := range []struct {
		args   []string
		status int
		err    string
	}{
		{[]string{"diff", "a"}, exitUsage, "name two captures"},
		{[]string{"diff", "-", "-"}, exitUsage, "only one capture"},
		{[]string{"diff", lab(t, "02"), "no such file"}, exitInput, "no such file: "},
		{[]string{"diff", lab(t, "02"), "diff_test.go"}, exitInput, "diff_test.go: "},
	} {
		got := dplay(t, c.args...)
		assert.Equal(t, c.status, got.status, c.args)
		assert.Contains(t, got.err, c.err)
	}
}
