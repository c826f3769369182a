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
// # Speed
//
// The command compat/benchtshark times tshark and dplay on the same capture ("make bench-tshark").
package compat
