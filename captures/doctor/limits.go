package doctor

// Limits of the facts of a capture. Facts beyond a limit are not judged; there is nothing wrong with the rest.
const (
	maxEvidence  = 8     // pieces of evidence of one finding
	maxFacts     = 4096  // facts of one kind: questions, offers, joins, pings between two machines, ...
	maxTuples    = 16384 // TCP connections that were asked for and not yet answered
	maxListeners = 65536 // machines, and sockets that messages named
	maxPingers   = 256   // machines that ping one address
	maxPassword  = 256   // octets of a password that are remembered
	maxPieces    = 3     // places that are kept of a fact that happens again and again
	maxPairs     = 16    // facts that one fact is paired with, each for a finding: a question and its answers, a join and later ones
)
