package doctor

import "net/netip"

func init() {
	hamachi := card("ham0", "25.1.2.3/8")
	examples["adapter-vpn"] = []example{
		{name: "VPN", live: &Live{Adapters: []Adapter{card("wlan0", "192.168.7.20/24"), hamachi}},
			want: []string{"the adapter ham0 has 25.1.2.3, which is an address of the VPN Hamachi"}, shows: []string{"adapter ham0=25.1.2.3/8"}},
		{name: "the host is in it", live: &Live{Host: netip.MustParseAddr("25.9.9.9"), Adapters: []Adapter{hamachi}}},
		{name: "none", live: &Live{Adapters: []Adapter{card("wlan0", "192.168.7.20/24"), card("lo", "127.0.0.1/8")}}},
	}
}
