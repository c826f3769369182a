// Package hexdump reads messages that people paste as hexadecimal text, and writes them as a capture file, which package
// captures reads.
//
// It reads plain digits, with or without separators, and the output of xxd, hexdump -C, od -A x -t x1, tcpdump -X and
// Wireshark's Copy menu (hex dump, hex stream, escaped string) and C arrays. A column of characters beside the octets is
// recognised because it shows those octets. An empty line, an offset of 0 or a closing brace ends a message.
//
// A message may be:
//
//   - an Ethernet frame with IPv4, or an IPv4 packet: its addresses, ports and payload are kept.
//   - several messages of TCP one after the other, each with its SP header.
//   - a datagram, or one message of TCP: with an SP header, or a game message or reliable frame without one.
//   - a message from its signature on, as reliable frames carry it: an empty SP header is put before it.
//
// All but the first get made up addresses, and no message has a time.
package hexdump
