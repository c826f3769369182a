package wine

import "context"

// For tests that run a part of themselves, the client or other programs in their own way.
const (
	InsideVariable = insideVariable
	ClientPath     = clientPath
)

// WineEnvironment is what Wine's programs get.
var WineEnvironment = wineEnvironment

// WriteFile writes a file in the machine. The name is absolute.
func (m *Machine) WriteFile(name string, data []byte) error { return m.writeFile(name, data) }

// Isolate keeps the machine from reaching others in the lab, and them from reaching it. Its cable goes on carrying what it broadcasts.
func (m *Machine) Isolate(ctx context.Context) error {
	return m.hub.ip(ctx, "link set "+m.port+" type bridge_slave isolated on")
}
