package draw

import "time"

// DefaultRows is how many rows a picture has at most unless Options say otherwise.
const DefaultRows = 1000

// Limits of what is remembered while a capture is read.
const (
	// maxItems bounds the rows kept while reading. When they are that many, neighbours are folded until they are half.
	maxItems = 1 << 14
	// maxEndpoints bounds the sockets told apart; what comes from or goes to others shares one lane.
	maxEndpoints = 4096
	// maxLanes bounds the lanes. Machines that said less than the first ones share the lane "others".
	maxLanes = 24
	// maxOthers bounds those that are listed by their addresses.
	maxOthers = 200
	// maxText bounds the fields shown of one message, in octets; a list of players may be longer than any line.
	maxText = 320
	// maxPlayers bounds the rows of the table of players.
	maxPlayers = 2000
	// maxMet bounds the sessions whose players are listed. A lobby has many.
	maxMet = 1 << 16
	// maxCommands bounds the names of commands told apart; the program knows some 90, a hostile file makes up 65,536.
	maxCommands = 512
	// maxSent bounds the frames of the reliable protocol of which it may still turn out that they were lost: as many as
	// package links remembers of a few busy links.
	maxSent = 4096
	// maxLost bounds those that were lost.
	maxLost = 1 << 16
	// maxFindings bounds the findings that are shown.
	maxFindings = 500
)

// Limits of what is folded.
const (
	// foldFrom is how many alike messages are folded.
	foldFrom = 3
	// silence is how long nothing may be said before a row tells it.
	silence = time.Second
	// burstSilence is how long repeated traffic may pause and still be one fold.
	burstSilence = 5 * time.Second
	// atOnce is how far apart messages may be that were sent to several machines as one.
	atOnce = 50 * time.Millisecond
)

// Limits of a report.
const (
	// maxReportRows bounds the messages in its list.
	maxReportRows = 300_000
	// maxReportOctets bounds what the list and the fields take, compressed: a page of 64 MB is what a browser opens
	// without complaint, and base64 makes four octets of three.
	maxReportOctets = 48 << 20
	// maxRowText bounds the fields of a message in the list, in octets.
	maxRowText = 600
	// maxTree bounds all fields of a message.
	maxTree = 16 << 10
	// maxBuckets bounds the points of a plot of rates.
	maxBuckets = 240
	// firstBucket is how long the first buckets are.
	firstBucket = 100 * time.Millisecond
	// maxTrips bounds the round trips that are plotted. Of more, the longest of neighbours are.
	maxTrips = 8192
	// maxTripLines bounds the pairs of machines whose round trips are plotted.
	maxTripLines = 12
	// maxNoted bounds what is said of one message besides its fields.
	maxNoted = 8
)
