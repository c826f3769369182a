package doctor

import "net/netip"

func init() {
	hamachi := card("ham0", "25.1.2.3/8")
	examples["adapter-vpn"] = []example{
		{name: "VPN", live: &Live{Adapters: []Adapter{card("wlan0", "192.168.7.20/24"), hamachi}},
			want: []string{"the adapter ham0 has 25.1.2.3, which is an address of the VPN Hamachi"}, shows: []string{"adapter ham0=25.1.2.3/8"}},
		{name: "the host is in it", live: &Live{Host: netip.MustParseAddr("25.9.9.9"), Adapters: []Adapter{hamachi}}},
		{name: "a network of its own, and the host in the same VPN", live: &Live{Host: netip.MustParseAddr("100.101.2.3"),
			Adapters: []Adapter{card("tailscale0", "100.64.7.8/32")}}},
		{name: "a network of its own, and the host elsewhere", live: &Live{Host: netip.MustParseAddr("25.9.9.9"), Adapters: []Adapter{card("tailscale0", "100.64.7.8/32")}},
			want: []string{"the adapter tailscale0 has 100.64.7.8"}},
		{name: "the host answered", live: &Live{Host: netip.MustParseAddr(hostIP), Adapters: []Adapter{hamachi}, Ways: []Way{{Offers: []LiveOffer{{}}}}}},
		{name: "one answered there", live: &Live{Adapters: []Adapter{hamachi}, Ways: []Way{{Offers: []LiveOffer{{Host: netip.MustParseAddrPort("25.9.9.9:2300")}}}}}},
		{name: "nobody but this machine answered", live: &Live{Adapters: []Adapter{hamachi}, Ways: []Way{{Offers: []LiveOffer{{Host: netip.MustParseAddrPort("25.1.2.3:2300")}}}}},
			want: []string{"the adapter ham0 has 25.1.2.3"}},
		{name: "none", live: &Live{Adapters: []Adapter{card("wlan0", "192.168.7.20/24"), card("lo", "127.0.0.1/8")}}},
	}
}
