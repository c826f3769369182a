package flags

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestIsCode tells codes, and what is left of them, from names of machines.
func TestIsCode(t *testing.T) {
	t.Parallel()
	const code, wrong = "ASC0-7218-1107-HC79-45CS-3JG2-79SA-NRRV-ACKR", "ASC0-7218-1107-HC79-45CS-3JG2-79SA-NRRV-ACKX"
	for s, want := range map[string]bool{
		code: true, wrong: true, strings.ToLower(code): true, "Code: " + code: true, "code: ASC0-7218-1107": true,
		strings.ReplaceAll(code, "-", " "): true, strings.ReplaceAll(wrong, "-", ""): true,
		"BFJB-YHD5-4JQ7-H0ZE-": true, "BFJB-YHD5-4JQ7": true, "bfjb-yhd5-4jq7-h0ze": true, "bfjb yhd5 4jq7": true, "ABCD EFGH JKMN P": true,
		"": false, "hello": false, "BFJB-YHD5": false, "play-game-host": false, "DESKTOP-ABC1234": false, "192.0.2.7": false,
		"a-b-c-d": false, "host-1234-5678-9.example.org": false, "longhost-1234-5678-9012-34": false,
		"vm01-prod-west": false, "game-srv1-east": false, "game-srv1-east-2": false,
	} {
		assert.Equal(t, want, IsCode(s), s)
	}
}
