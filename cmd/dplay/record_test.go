package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestRecordUsage checks that what is wrong is told before anything is recorded.
func TestRecordUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"game.pcapng"}, `unexpected "game.pcapng": the file is named with -o FILE`},
		{[]string{"--for", "0s"}, "--for 0s: must be more than nothing"},
		{[]string{"--for", "-1m"}, "--for -1m0s: must be"},
		{[]string{"--max-size", "0"}, "--max-size 0: megabytes go from 1 to "},
		{[]string{"--max-size", "99999999"}, "--max-size 99999999: megabytes"},
		{[]string{"--files", "0"}, "--files 0: must be 1 to 1000"},
		{[]string{"--port", "65536"}, "--port 65536: ports go from 1 to 65535"},
		{[]string{"--port", "0"}, "--port 0: ports go"},
		{[]string{"--app", "no such game"}, "--app"},
		{[]string{"-i", ""}, "an --interface is empty"},
		{[]string{"-o", "-"}, "--output -: a recording is files"},
	} {
		got := dplay(t, append([]string{"record"}, c.args...)...)
		assert.Equal(t, exitUsage, got.status, "%v: %s", c.args, got.err)
		assert.Contains(t, got.err, c.want)
		assert.Empty(t, got.out)
	}
}
