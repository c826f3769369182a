//go:build linux

package wine

import (
	"context"
	"fmt"
	"net/netip"
)

// farSubnet is the other subnet of a lab, of RFC 5737 as the first one.
const farSubnet = "198.51.100."

// Apart moves a machine to another subnet, which the near one reaches through a router alone: no broadcast gets there.
func (l *Lab) Apart(ctx context.Context, near, far *Machine) error {
	router, err := l.Machine(ctx, "router")
	if err != nil {
		return err
	}
	out, err := router.Command(ctx, "sh", "-c", `cd /proc/sys/net/ipv4
		echo 1 >ip_forward; echo 0 >conf/all/send_redirects; echo 0 >conf/eth0/send_redirects`).CombinedOutput()
	if err != nil {
		return fmt.Errorf("machine %s: %w: %s", router.name, err, out)
	}
	old := far.addr
	far.addr = netip.MustParseAddr(farSubnet + "2")
	for _, part := range []struct {
		m        *Machine
		commands []string
	}{
		{l.hub, []string{"link set " + near.port + " type bridge_slave isolated on", "link set " + far.port + " type bridge_slave isolated on"}},
		{router, []string{"addr add " + farSubnet + "1/24 dev eth0"}},
		{near, []string{"route add " + farSubnet + "0/24 via " + router.addr.String()}},
		{far, []string{
			"addr del " + old.String() + "/24 dev eth0",
			"addr add " + far.addr.String() + "/24 broadcast " + farSubnet + "255 dev eth0",
			"route add default via " + farSubnet + "1",
			"route replace 255.255.255.255 dev eth0",
		}},
	} {
		if err := part.m.ip(ctx, part.commands...); err != nil {
			return err
		}
	}
	return nil
}
