package wine

// ParseLine is for a test without Wine.
var ParseLine = parseLine

// Line is for a test without a client.
func (c Command) Line() ([]byte, error) { return c.line() }
