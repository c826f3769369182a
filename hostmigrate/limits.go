package hostmigrate

import (
	"time"

	"dplay4/wire"
)

// MaxMessage is the largest message of an operation, in octets: it rides in an EXTENSION, behind both headers, the extension's release
// and kind, and its sender. An operation that does not fit (a player whose long name and service provider data take half a megabyte
// together) is sent to nobody.
const MaxMessage = wire.MaxMessage - wire.SPHeaderSize - wire.HeaderSize - 8

// DefaultTimeout is how long one answer of one peer may take. Ten seconds are many retransmissions of a reliable connection, and short
// beside the 35 seconds of [MC-DPL4CS] 3.1.2.5.
const DefaultTimeout = 10 * time.Second
