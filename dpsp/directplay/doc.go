// Package directplay is what a game sees of DirectPlay 4, without COM: the DirectPlay object, the lobby object, compound
// addresses and service providers. What calls it has copied the game's memory and hands it Go values; it answers with the
// result codes of the public interface, and with octets for the game's buffers.
//
// # Sources
//
// Layouts and numbers are those of the public headers dplay.h and dplobby.h, as mingw-w64 has them. The order of checks and
// the codes are those that Wine's tests state for Windows. Where neither says anything the comment says what is guessed.
package directplay
