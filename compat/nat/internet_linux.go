package nat

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
)

// An Internet is a network of public addresses, 203.0.113.0/24 of RFC 5737 and 2001:db8::/32 of RFC 3849, and what is plugged
// into it. Its methods may be called from several goroutines.
type Internet struct {
	hub *Machine // its switch is the backbone

	mu       sync.Mutex
	machines []*Machine
	public   int // last octet of the last public address
	homes    int
	ports    int // cables that ever were
}

// backbone is the switch in the hub.
const backbone = "br0"

// New makes an internet that is empty. The error is ErrMissing if there cannot be one. Close it.
func New(ctx context.Context) (*Internet, error) {
	if err := check(); err != nil {
		return nil, err
	}
	hub, err := startMachine(ctx, "hub")
	if err != nil {
		return nil, err
	}
	i := &Internet{hub: hub, public: 1}
	err = ip(ctx, hub.pid(),
		"link add "+backbone+" type bridge mcast_snooping 0",
		"addr add 203.0.113.1/24 dev "+backbone,
		"addr add 2001:db8:ff::1/64 dev "+backbone,
		"link set "+backbone+" up")
	if err == nil {
		err = hub.set(ctx, "ipv6/conf/all/forwarding", "1")
	}
	if err != nil {
		return nil, errors.Join(err, i.Close())
	}
	return i, nil
}

// start starts a machine that goes with the internet.
func (i *Internet) start(ctx context.Context, name string) (*Machine, error) {
	m, err := startMachine(ctx, name)
	if err != nil {
		return nil, err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.machines = append(i.machines, m)
	return m, nil
}

// number returns the next public address's last octet, and a name for a cable's end.
func (i *Internet) number() (last int, port string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.public++
	i.ports++
	return i.public, fmt.Sprintf("port%d", i.ports)
}

// port returns a name for a cable's end.
func (i *Internet) port() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.ports++
	return fmt.Sprintf("port%d", i.ports)
}

// attach gives a machine a public address, by an interface of this name.
func (i *Internet) attach(ctx context.Context, m *Machine, dev string) error {
	last, port := i.number()
	m.addr = netip.AddrFrom4([4]byte{203, 0, 113, byte(last)})
	err := ip(ctx, i.hub.pid(),
		fmt.Sprintf("link add %s type veth peer name %s netns %d", port, dev, m.pid()),
		fmt.Sprintf("link set %s master %s up", port, backbone))
	if err != nil {
		return err
	}
	err = ip(ctx, m.pid(),
		fmt.Sprintf("addr add %s/24 dev %s", m.addr, dev),
		fmt.Sprintf("addr add %s/64 dev %s", public6(last), dev),
		"link set "+dev+" up",
		"route add default via 2001:db8:ff::1")
	if err != nil {
		return err
	}
	return errors.Join(m.carries(ctx, dev), i.hub.carries(ctx, port))
}

// public6 returns the IPv6 address beside the IPv4 address with that last octet.
func public6(last int) netip.Addr {
	return netip.MustParseAddr(fmt.Sprintf("2001:db8:ff::%x", last))
}

// Machine adds a machine with a public address, as relays have.
func (i *Internet) Machine(ctx context.Context, name string) (*Machine, error) {
	m, err := i.start(ctx, name)
	if err != nil {
		return nil, err
	}
	return m, i.attach(ctx, m, "eth0")
}

// Close ends all machines and what runs in them. It may be called twice.
func (i *Internet) Close() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, m := range i.machines {
		m.close()
	}
	i.machines = nil
	i.hub.close()
	return nil
}
