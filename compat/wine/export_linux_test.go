package wine

import (
	"context"
	"net/netip"
	"os/exec"

	"dplay4/compat/nat"
)

// For tests that run a part of themselves, the client or other programs in their own way.
const (
	InsideVariable = insideVariable
	ClientPath     = clientPath
)

// WineEnvironment is what Wine's programs get, and WineEnvironment64 what those of 64 bits do.
var WineEnvironment, WineEnvironment64 = wineEnvironment, wineEnvironment64

// WinePrefix and WinePrefix64 are where their configurations are.
const (
	WinePrefix   = winePrefix
	WinePrefix64 = winePrefix64
)

// Boot starts the server and services of another configuration of Wine than the machine has.
func (m *Machine) Boot(ctx context.Context, environment []string) error {
	return m.boot(ctx, environment)
}

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

// Rehome takes the machine off the lab's switch, or out of the home where it is, and plugs it in elsewhere: plug is told which
// process is in its network, and gives the address that it has there.
func (m *Machine) Rehome(ctx context.Context, plug func(context.Context, int) (netip.Addr, error)) error {
	if err := m.ip(ctx, "link del eth0"); err != nil {
		return err
	}
	var err error
	m.addr, err = plug(ctx, m.first.PID())
	return err
}

// Here returns a program that will run in the machine's network and among its processes, but with the files of here.
func (m *Machine) Here(ctx context.Context, program string, args ...string) *exec.Cmd {
	return nat.Enter(ctx, m.first.PID(), []string{"--net", "--pid", "--ipc", "--uts"}, program, args...)
}
