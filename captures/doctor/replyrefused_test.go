package doctor

func init() {
	examples["reply-refused"] = []example{
		{name: "refused", want: []string{hostIP + " answered, but its connection to " + joinerIP + ":2300, where " + joinerIP + " waits for the answer, was refused"},
			shows: []string{"SYN =to " + joinerIP + ":2300", "RST =refused"}, capture: func(n *network) {
				s := newSession(n)
				for range 2 {
					s.seek(joinerIP, thisGame)
					n.ask(hostIP+":4000", joinerIP+":2300")
					n.refuse(hostIP+":4000", joinerIP+":2300")
				}
			}},
		{name: "then taken", capture: func(n *network) {
			s := newSession(n)
			s.seek(joinerIP, thisGame)
			n.ask(hostIP+":4001", joinerIP+":2300")
			n.refuse(hostIP+":4001", joinerIP+":2300")
			s.join(joinerIP, 0x100)
		}},
		{name: "after the end", capture: func(n *network) {
			s := newSession(n)
			s.join(joinerIP, 0x100)
			n.ask(hostIP+":4002", joinerIP+":2300")
			n.refuse(hostIP+":4002", joinerIP+":2300")
		}},
	}
}
