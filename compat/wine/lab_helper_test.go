//go:build linux

package wine

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
)

// A Lab is a switch and the machines plugged into it. Its methods may be called from several goroutines.
type Lab struct {
	hub *Machine // its bridge is the switch

	mu       sync.Mutex
	machines []*Machine // without the hub
	plugged  int        // machines that ever were, so the last octet of the last address
	client   []byte     // the client, once it is compiled
	closed   bool
}

// bridge is the switch's interface in the hub.
const bridge = "br0"

// NewLab makes a lab without machines. The error is ErrMissing if there cannot be one. Close it.
func NewLab(ctx context.Context) (*Lab, error) {
	if err := check(); err != nil {
		return nil, err
	}
	hub, err := startMachine(ctx, "hub", "")
	if err != nil {
		return nil, err
	}
	l := &Lab{hub: hub}
	err = hub.ip(ctx,
		"link add "+bridge+" type bridge mcast_snooping 0",
		"link set "+bridge+" up")
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// Machine plugs in a machine that has this machine's files: for a host of this project's own. name is its host
// name.
func (l *Lab) Machine(ctx context.Context, name string) (*Machine, error) {
	return l.plugIn(ctx, name, "")
}

// Wine plugs in a machine with Wine, which has the files of Root. The error is ErrMissing if there is no such folder
// or no compiler for the client.
func (l *Lab) Wine(ctx context.Context, name string) (*Machine, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	exe, err := l.clientProgram(ctx)
	if err != nil {
		return nil, err
	}
	m, err := l.plugIn(ctx, name, root)
	if err != nil {
		return nil, err
	}
	if err := m.writeFile(clientPath, exe); err != nil {
		return nil, err
	}
	return m, m.boot(ctx, wineEnvironment)
}

// clientProgram compiles the client, once.
func (l *Lab) clientProgram(ctx context.Context) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.client == nil {
		exe, err := BuildClient(ctx)
		if err != nil {
			return nil, err
		}
		l.client = exe
	}
	return l.client, nil
}

// maxMachines is how many last octets 192.0.2.0/24 has, without the network's and the broadcast address.
const maxMachines = 254

func (l *Lab) plugIn(ctx context.Context, name, root string) (*Machine, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return nil, errors.New("the lab is closed")
	case l.plugged == maxMachines:
		return nil, fmt.Errorf("a lab has room for %d machines", maxMachines)
	}
	m, err := startMachine(ctx, name, root)
	if err != nil {
		return nil, err
	}
	l.machines = append(l.machines, m)
	l.plugged++
	m.hub, m.port = l.hub, fmt.Sprintf("port%d", l.plugged)
	m.addr = netip.AddrFrom4([4]byte{192, 0, 2, byte(l.plugged)})
	return m, m.connect(ctx)
}

// Close ends every process of the lab and waits until they are gone. It may be called twice.
func (l *Lab) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	var errs []error
	for _, m := range l.machines {
		errs = append(errs, m.Close())
	}
	return errors.Join(append(errs, l.hub.Close())...)
}
