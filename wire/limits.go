package wire

import "dplay4/wire/internal/field"

// Limits of what is decoded and encoded. They protect memory, not taste: nothing off the wire is
// allocated before it was held against one of these and against the octets that are left.
const (
	// MaxMessage is the largest message with its SP header: the size field has 20 bits (2.2.6).
	MaxMessage = 0xFFFFF
	// MaxPlayers bounds the entries of one player list. It is what GetCaps of Windows reports for TCP/IP,
	// and an id's index has 16 bits (3.2.5.4).
	MaxPlayers = field.MaxList
	// MaxNesting bounds messages inside messages (SIGNED in PACKET in ...). Real traffic nests twice; each
	// level costs a sender only 20 octets, so without a bound a 1 MiB message would nest 50,000 deep.
	MaxNesting = 4
)

// Sizes of the fixed structures, in octets.
const (
	SPHeaderSize          = 20 // size, token and SOCKADDR_IN (2.2.6)
	HeaderSize            = 8  // signature, command, version (2.2.6)
	SockAddrSize          = 16 // SOCKADDR_IN (2.2.1)
	SPDataSize            = 32 // what the Winsock service provider keeps for a player: two SOCKADDR_IN (2.2.2)
	SessionDescSize       = 80 // DPSESSIONDESC2 (2.2.5)
	SecurityDescSize      = 24 // DPSECURITYDESC (2.2.4)
	PackedPlayerFixed     = 48 // DPLAYI_PACKEDPLAYER without its variable part (2.2.2)
	SuperPackedPlayerSize = 16 // what the Size field of DPLAYI_SUPERPACKEDPLAYER says (2.2.3) ...
	SuperPackedFixed      = 20 // ... although its fixed part has one DWORD more
	PacketFixed           = 48 // PACKET and PACKET2_DATA up to their data (2.2.39)
	idsSize               = 8  // the two ids before a game message (2.2.45)
)
