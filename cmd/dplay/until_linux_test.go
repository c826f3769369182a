package main

import "testing"

// TestUntilTable ends the table of sessions by an event.
func TestUntilTable(t *testing.T) {
	t.Setenv("TERM", "xterm-256color")
	at := newPlace(t)
	w := openWindow(t, at.sessions("--watch", "--timeout", anHour, "--until", "session_found")...)
	w.sees("Sessions at " + at.address)
	startHost(t, at)
	w.endWell()
}
