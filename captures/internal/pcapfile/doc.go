// Package pcapfile turns capture files into packets.
//
// It reads pcap and pcapng, plain, gzip or zstd, from any io.Reader, in one pass. It looks at no packet: package
// link does.
//
// # Formats
//
// pcap 2.4 in both byte orders, with microseconds or nanoseconds, and the modified form of Linux 2.2 (magic
// 0xa1b2cd34). pcapng 1.0 and 1.2 in both byte orders, with several sections, several interfaces of different
// link types and time resolutions, and enhanced, simple and obsolete packet blocks; other blocks are skipped.
// Formats are told by their first octets, never by the file's name. Specifications:
// draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng.
//
// # Trust
//
// Every length is held against a limit of limits.go before it is used, so no number in a file makes this package
// allocate. What a length counts must be there: a packet is delivered only when its whole record was read. The
// first thing that cannot be ends the file with a [FileError] that names the place; all packets before it
// were delivered.
//
// # gopacket
//
// pcap records go through pcapgo.Reader, behind a reader that vets and rights them (pcap.go says what and why).
// pcapng blocks do not go through pcapgo.NgReader: pcapng.go lists what is wrong with it. The protocols are package
// link's.
//
// # Memory
//
// A Reader holds a buffer of 512 KiB, 64 KiB for the input, 260 KiB for a packet of a pcap file, and as much as the
// decompressor needs: 64 KiB for gzip, at most 9 MiB for zstd. It does not grow with the file. It starts no
// goroutine, so it needs no Close.
package pcapfile
