package annotate

// Limits of what is written and remembered.
const (
	// maxText is how long one comment is at most, in octets.
	maxText = 1000
	// maxComments is how many comments a frame gets; one more counts the others.
	maxComments = 40
	// maxGeneral is how many findings that belong to no frame are told of the file, and how many of the doctor's.
	maxGeneral = 50
	// maxSessions is how many sessions are told of the file.
	maxSessions = 100
	// maxPlayers is how many players of a session are told.
	maxPlayers = 100
	// maxSection is how long a comment on the file is at most, in octets.
	maxSection = 8000
	// maxUnsorted is how many octets of comments are held in memory before they go to disk.
	maxUnsorted = 8 << 20
	// runBuffer is how much is read at a time, in octets, of each part that went to disk.
	runBuffer = 16 << 10
)
