package doctor

import "dplay4/wire"

func init() {
	ends := func(ack wire.PlayerID) func(*network) {
		return func(n *network) {
			s := forwarded(n)
			if ack != 0xfff {
				s.tell(joinerIP, &wire.AddForwardAck{ID: ack})
			}
			s.toldBy(thirdIP+":2300", s.list())
		}
	}
	want := []string{joinerIP + ` ("player 257") did not confirm the newcomer 0x00000200 to the host ` + hostIP + " within 3.0"}
	examples["add-forward-unacked"] = []example{
		{name: "no word", want: want, capture: ends(0xfff)},
		{name: "about another one", want: want, capture: ends(0x300)},
		{name: "confirmed", capture: ends(0x200)},
		{name: "confirmed without a name", capture: ends(wire.IDAll)},
	}
}
