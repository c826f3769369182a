//go:build windows && cgo

package main

import (
	"context"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"sync"
	"unsafe"

	"golang.org/x/sys/windows"

	"dplay4/dpsp/directplay"
	"dplay4/dpsp/directplay/config"
)

// version is that of the release; .ci/dll sets it.
var version = "devel"

// neighbours are the objects of this process.
var neighbours directplay.Neighbours

// options returns what all objects have in common.
func options() directplay.Options {
	return directplay.Options{Config: configured(), Neighbours: &neighbours, Resolve: resolve}
}

// configured returns what the player has set, which is read once, when the game first wants something. Whatever is wrong with
// it, the game goes on.
var configured = sync.OnceValue(func() (c directplay.Config) {
	defer func() {
		if recover() != nil {
			c = directplay.Config{}
		}
	}()
	user, _ := os.UserConfigDir() // nothing is there if it is not known
	game, _ := os.Executable()
	return config.Read(directplay.Config{}, config.Places(dllFolder(), filepath.Dir(game), user), os.Getenv).Begin(version)
})

// dllFolder returns the folder of this DLL; "" if it is not known.
func dllFolder() string {
	var module windows.Handle
	var name [windows.MAX_LONG_PATH]uint16
	err := windows.GetModuleHandleEx(windows.GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS|windows.GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
		(*uint16)(unsafe.Pointer(&neighbours)), &module)
	if err != nil {
		return ""
	}
	if _, err := windows.GetModuleFileName(module, &name[0], uint32(len(name))); err != nil {
		return ""
	}
	return filepath.Dir(windows.UTF16ToString(name[:]))
}

// resolve finds the addresses of a host. DirectPlay 4 has version 4 of IP alone.
func resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip4", host)
}
