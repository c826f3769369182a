// Package relaytest is what tests of relays share: the settings of coturn that users are told, and certificates in files.
package relaytest

import (
	"errors"
	"os"
	"strings"
)

// CoturnSettings returns those that "dplay help community" has, whose file it is told.
func CoturnSettings(topic string) (string, error) {
	b, err := os.ReadFile(topic)
	if err != nil {
		return "", err
	}
	_, after, _ := strings.Cut(string(b), "## coturn instead")
	var settings strings.Builder
	for line := range strings.Lines(after) {
		if s, indented := strings.CutPrefix(line, "    "); indented {
			settings.WriteString(s)
		} else if settings.Len() > 0 {
			break
		}
	}
	if !strings.Contains(settings.String(), "use-auth-secret\n") {
		return "", errors.New(topic + " has no settings for coturn")
	}
	return settings.String(), nil
}
