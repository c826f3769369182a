package cli

// A Window says whether this program has a terminal window for itself, that closes when it ends.
type Window int

// The kinds of windows.
const (
	NoWindow        Window = iota // none, or one of somebody who goes on
	OnlyWindow                    // nobody else is in it
	ExplorersWindow               // and it was opened because somebody clicked
)
