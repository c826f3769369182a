package doctor

import "dplay4/captures"

func init() {
	taken := Port{Transport: captures.TCP, Number: 2300, Err: "address already in use"}
	examples["ports-taken"] = []example{
		{name: "all", want: []string{"no tcp port is free for a game on this machine"},
			live: &Live{Ports: []Port{taken, {Transport: captures.UDP, Number: 2350}}}},
		{name: "all but one", live: &Live{Ports: []Port{taken, {Transport: captures.TCP, Number: 2301}, {Transport: captures.UDP, Number: 2350}}}},
	}
}
