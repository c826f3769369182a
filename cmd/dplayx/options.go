//go:build windows && cgo

package main

import (
	"context"
	"net"
	"net/netip"

	"dplay4/dpsp/directplay"
)

// neighbours are the objects of this process.
var neighbours directplay.Neighbours

// options returns what all objects have in common.
func options() directplay.Options {
	return directplay.Options{Config: directplay.Config{Legacy: true}, Neighbours: &neighbours, Resolve: resolve}
}

// resolve finds the addresses of a host. DirectPlay 4 has version 4 of IP alone.
func resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip4", host)
}
