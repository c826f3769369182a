package doctor

import "dplay4/captures"

func init() {
	examples["enum-port-taken"] = []example{
		{name: "taken", want: []string{"a session hosted on this machine could not be found: port 47624 is not to be had"},
			shows: []string{"bind udp 47624=address already in use, held by other (process 7)"},
			live: &Live{Ports: []Port{{Transport: captures.UDP, Number: 47624, Err: "address already in use", Holder: "other (process 7)"},
				{Transport: captures.TCP, Number: 47624}}}},
		{name: "taken by a host",
			live: &Live{Ports: []Port{{Transport: captures.TCP, Number: 47624, Err: "address already in use", Hosts: "Mine"}}}},
		{name: "free", live: &Live{Ports: []Port{{Transport: captures.UDP, Number: 47624}, {Transport: captures.TCP, Number: 47624}}}},
		{name: "another one", live: &Live{Ports: []Port{{Transport: captures.TCP, Number: 2300, Err: "address already in use"}, {Transport: captures.TCP, Number: 2301}}}},
	}
}
