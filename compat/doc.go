// Package compat holds this project against other implementations of DirectPlay 4, and lists where they
// differ and why.
//
// It decides nothing about the protocol: package wire is what is tested, the others are the oracle. A
// difference is either a bug of ours, and is mended, or it is written down here as data with its reason. The
// tests then insist that the difference is really there, so a list of this package cannot go stale: when the
// other implementation is mended, the test says which entry to remove.
//
// # tshark
//
// Wireshark's dissector was written from captures, by other people and without this project's sources, so
// where it decodes a field its reading is independent evidence. TsharkFields pairs its fields with those of
// package wire; TsharkErrors, TsharkOmissions and TsharkGaps are what it gets wrong, leaves out and does not
// see at all.
//
// The tests need the program tshark. They are skipped where it is missing, unless the environment variable
// DPLAY_REQUIRE_TSHARK is set to something other than the empty string, as it is in CI: then they fail.
//
// # Recorded machines
//
// Captures show what other implementations did, Windows and Wine among them. A test has captures/replay put an engine
// of ours in the place of each recorded machine. ReplayDifferences is where a machine did otherwise than our engine, and
// ReplayUnplayed the machines that cannot be replayed.
//
// # Running programs
//
// Package compat/wine runs Wine's dplayx against this project, in namespaces of Linux. Package compat/browser opens the
// reports of "dplay draw" in Chromium; it is a module of its own.
//
// # Measures
//
// Package compat/benchtshark times tshark and dplay on the same capture ("make bench-tshark"). What measures us alone is
// beside what it measures, as dpsp/sock/internal/bench.
package compat
