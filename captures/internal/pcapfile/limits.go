package pcapfile

// Limits of what is read. They protect memory and tell lies from lengths.
const (
	// MaxPacket is the largest packet, in octets: what tcpdump and Wireshark allow (262144) and some slack,
	// for capture tools that count their own pseudo header only in one of the two lengths.
	MaxPacket = 262144 + 4096
	// MaxBlock is the largest pcapng block, in octets. Blocks are skipped without being held, so it only
	// stops a length that cannot be meant from swallowing the rest of the file.
	MaxBlock = 16 << 20
	// MaxHeldBlock is the largest pcapng block that is interpreted, in octets: a packet block or an interface
	// description block, with its options.
	MaxHeldBlock = 512 << 10
	// MaxInterfaces is how many interfaces a section of a pcapng file may describe. Each costs 20 octets of
	// file and 24 of memory.
	MaxInterfaces = 4096
	// MaxZstdWindow is the largest window of a zstd frame, in octets: the decompressor allocates it at the
	// frame's word. RFC 8878 3.1.1.1.2 recommends 8 MiB; "zstd -19" stays within it, "zstd --long" does not.
	MaxZstdWindow = 8 << 20
)
