package captures

// Limits of what is remembered while a capture is read. A file that exceeds one loses detail, with a
// finding, not correctness elsewhere.
const (
	// maxPending bounds the octets of unfinished messages of all TCP streams together. One message has at most
	// 1 MiB; 32 peers in the middle of such a message are more than any session has.
	maxPending = 32 << 20
	// maxSearch bounds how far a stream that began before the capture is searched for a header.
	maxSearch = 256 << 10
	// maxSockets bounds the sockets learnt, each kind. A session of 65,536 players has as many.
	maxSockets = 1 << 16
	// maxSessions bounds the sessions remembered. A capture of a busy lobby lists hundreds.
	maxSessions = 4096
	// maxPlayers bounds the stays of players remembered in all sessions together.
	maxPlayers = 1 << 18
	// maxName bounds the octets of a name that are remembered; a message may have one of 1 MiB.
	maxName = 256
	// maxNames bounds the names remembered of a player that changes its name.
	maxNames = 8
	// maxConversations bounds the conversations numbered; those beyond share number 0.
	maxConversations = 1 << 16
	// maxFragmented bounds the fragmented messages (PACKET, PACKET2_DATA) in work.
	maxFragmented = 256
	// maxFragmentOctets bounds the memory that they take together.
	maxFragmentOctets = 32 << 20
	// maxLinks bounds the directions between two players for which reliable frames are put together.
	maxLinks = 4096
	// maxHeld bounds the octets of their unfinished messages together.
	maxHeld = 32 << 20
	// maxFindings bounds the findings of one kind that are reported one by one; the summary counts them all.
	maxFindings = 1000
)
