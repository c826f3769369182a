package wine

// For tests that run a part of themselves, the client or other programs in their own way.
const (
	InsideVariable = insideVariable
	ClientPath     = clientPath
)

// WineEnvironment is what Wine's programs get.
var WineEnvironment = wineEnvironment

// WriteFile writes a file in the machine. The name is absolute.
func (m *Machine) WriteFile(name string, data []byte) error { return m.writeFile(name, data) }
