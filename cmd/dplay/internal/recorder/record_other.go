//go:build !linux && !windows

package recorder

import (
	"context"
	"fmt"
)

// record says what to type: what records here is tcpdump, which is part of the system.
func (o *Options) record(context.Context) (*Result, error) {
	at := "en0"
	if len(o.Interfaces) > 0 {
		at = o.Interfaces[0]
	}
	return nil, fmt.Errorf("dplay does not record by itself on this system. Type \"sudo tcpdump -i %s -s 0 -w %s\" (\"ifconfig\" names the "+
		"network adapters), end it with Ctrl-C, and give the file to \"dplay doctor\"", at, o.File)
}
