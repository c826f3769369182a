//go:build !linux

package probe

import (
	"net/netip"

	"dplay4/captures/doctor"
)

// A watch sees the connections that a host wants to make to this machine; here the system does not show them.
type watch struct{}

func watchFrom(netip.Addr) *watch { return nil }

func (*watch) listening(uint16, bool) {}

func (*watch) stop(*doctor.Live) []doctor.Knock { return nil }
