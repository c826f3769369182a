package hostmigrate

import (
	"time"

	"dplay4/wire"
)

// MaxMessage is the largest message that a [Table] sends, in octets: it rides in wire.ExtensionTable, behind both
// headers, the extension's release and kind, and its sender. What does not fit (a player whose long name and service
// provider data take half a megabyte together) is told to nobody: members stay at the version before it.
const MaxMessage = wire.MaxMessage - wire.SPHeaderSize - wire.HeaderSize - 8

// maxParts bounds the messages that one name table is sent in. The largest list takes about twenty.
const maxParts = 64

const (
	// DefaultTimeout is how long a table waits for one answer of one peer. Ten seconds are many retransmissions of a
	// reliable connection, and short beside the 35 seconds of [MC-DPL4CS] 3.1.2.5.
	DefaultTimeout = 10 * time.Second

	// DefaultPatience is how long a member waits for the candidate to say anything: two elapses of the timer of
	// [MC-DPL4CS] 3.1.2.5, within which all machines notice that the host is silent if one does, and one answer.
	DefaultPatience = 2*35*time.Second + DefaultTimeout
)
