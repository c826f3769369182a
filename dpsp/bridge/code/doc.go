// Package code is what players tell each other so that their machines meet: a Code names the relays of a session and carries
// its secret, as letters that are easy to read out and to paste. What the secret gives is derived here as well: the keys by which
// machines know each other, and the names and passwords that they show to relays.
//
// # Letters
//
// A code is written in the 32 letters 0-9 and A-Z without I, L, O and U, in groups of four. Small letters will do, O is read
// as 0, I and L as 1, U as V; spaces, ends of lines and the punctuation that chats and people put around it are passed over. The
// first letter is the form:
//
//	A  one open relay at an IPv4 address and the port 3478: 32 bits of address, 128 bits of secret. 36 letters in all.
//	B  any other: octets, and zero bits to the end of a letter.
//	   secret        16 octets
//	   meeting       1, the octets of the meeting address: 0, 4 or 16; then that, and its port in 2
//	   relays        1, 1 to 3, each of
//	     flags       1: 01 IPv4, 02 IPv6, 03 a name; 10 a port follows; 20 a user and a password follow
//	     host        4 octets, 16, or a length of one octet and the name
//	     port        2; without it an address has 3478, and DNS says what a name has
//	     user        a length of one octet and the text; the password likewise
//
// Other first letters are for the future. A Code has one way of being written, and Parse refuses all others.
//
// The last three letters check the others: they make the letters, as a polynomial over GF(32), a multiple of a primitive
// polynomial of degree 3, but for a constant. So one wrong letter, and two neighbours exchanged, are always found, with their
// place in codes of up to 500 letters; of all else one in 32,768 passes.
//
// # Keys
//
// HKDF with SHA-256 of the secret, without salt: see [Code.Keys]. Whoever has the code has all of them; nobody else has any.
package code
