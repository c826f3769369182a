package wine

// For tests that run a part of themselves, or the client, in their own way.
const (
	InsideVariable = insideVariable
	ClientPath     = clientPath
)

// WineEnvironment is what Wine's programs get.
var WineEnvironment = wineEnvironment
