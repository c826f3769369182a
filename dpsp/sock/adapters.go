package sock

import (
	"net"
	"net/netip"
)

// An Adapter is a network adapter that is up.
type Adapter struct {
	Index     int // as the system counts them
	Name      string
	Addrs     []netip.Prefix // each with its network
	Loopback  bool
	Broadcast bool // it has an address for everybody
}

// Adapters lists the network adapters of this machine that are up.
func Adapters() ([]Adapter, error) {
	list, err := netAdapters()
	if err == nil {
		return list, nil
	}
	if list := plainAdapters(); len(list) > 0 {
		return list, nil
	}
	return nil, err
}

// Addresses returns those of this machine's adapters; none if they cannot be listed.
func Addresses() (all []netip.Addr) {
	list, _ := Adapters()
	for _, a := range list {
		for _, p := range a.Addrs {
			all = append(all, p.Addr().Unmap())
		}
	}
	return all
}

// netAdapters lists them as Go sees them.
func netAdapters() ([]Adapter, error) {
	all, err := net.Interfaces()
	if err != nil {
		return nil, err
	}
	var list []Adapter
	for _, i := range all {
		if i.Flags&net.FlagUp == 0 {
			continue
		}
		addrs, err := i.Addrs()
		if err != nil {
			continue // it went away
		}
		a := Adapter{Index: i.Index, Name: i.Name, Loopback: i.Flags&net.FlagLoopback != 0, Broadcast: i.Flags&net.FlagBroadcast != 0}
		for _, x := range addrs {
			if p, err := netip.ParsePrefix(x.String()); err == nil {
				a.Addrs = append(a.Addrs, p)
			}
		}
		list = append(list, a)
	}
	return list, nil
}
