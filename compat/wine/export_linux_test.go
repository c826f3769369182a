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

// Isolate gives the machine another address, and keeps it and others in the lab from reaching each other. Its cable goes on
// carrying what it broadcasts.
func (m *Machine) Isolate(ctx context.Context, address string) error {
	err := m.ip(ctx,
		"addr flush dev eth0",
		"addr add "+address+"/24 broadcast 192.0.2.255 dev eth0",
		"route replace 255.255.255.255 dev eth0")
	if err != nil {
		return err
	}
	return m.hub.ip(ctx, "link set "+m.port+" type bridge_slave isolated on")
}
