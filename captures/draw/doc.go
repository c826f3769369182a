// Package draw draws captures: who says what to whom, as a sequence diagram in plain text, SVG or Mermaid, and as a
// report, one HTML page that needs nothing but a browser.
//
// A Builder takes the records of a capture one by one and keeps what a picture needs; its Diagram is then written in
// any of the formats. A lane is a machine, known by the TCP socket where it listens, with the players that are on it.
// A step is a row of the picture: a message; a fold, which stands for messages of one command between the same
// machines; a band, which stands for all messages of a while; a silence; or a finding that belongs to no message.
//
// # What is folded
//
// Messages that repeat (the game's own, pings, voice, fragments, frames of the reliable protocol) are folded if there
// are at least three of a command from one machine to another before anything else happens. Everything else has a row
// of its own while there are rows left. When there are not, neighbours are folded whatever they are, and at last made
// bands. A message with a finding is never folded by itself. Every message is counted in exactly one step.
//
// # Memory
//
// A Builder keeps at most maxItems rows however long the capture is, and a Report is bounded by the limits in
// limits.go. What was left out is said in the picture.
package draw
