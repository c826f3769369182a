package sock

import (
	"cmp"
	"net"
	"net/netip"
	"slices"
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

// Unreachable returns why no other machine finds a session that is hosted at an address of this machine, or that this is not known;
// "" if nothing is in the way. Adapters gave the list and the error. An address that was chosen is not judged.
func Unreachable(bind netip.Addr, list []Adapter, err error) string {
	switch {
	case !cmp.Or(bind, netip.IPv4Unspecified()).IsUnspecified():
		return ""
	case err != nil:
		return "not checked, because the network cards of this machine cannot be listed, is whether others can reach it: " + err.Error()
	case loopbackOnly(list):
		return "no network with IPv4 is up: only programs of this machine find the session and can join it"
	}
	return ""
}

// loopbackOnly reports whether no adapter leads to another machine.
func loopbackOnly(list []Adapter) bool {
	return !slices.ContainsFunc(list, func(a Adapter) bool {
		return !a.Loopback && slices.ContainsFunc(a.Addrs, func(p netip.Prefix) bool { return p.Addr().Is4() })
	})
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
