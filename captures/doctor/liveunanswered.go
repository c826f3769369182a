package doctor

// liveUnanswered judges the ways in which a host, or everybody, was asked and did not answer.
func liveUnanswered(l *Live) []Finding {
	var f Finding
	fault := NoFault
	for i := range l.Ways {
		w := &l.Ways[i]
		if len(w.heard()) > 0 {
			return nil
		}
		f.Evidence = append(f.Evidence, w.show())
		if fault != Refused && w.Fault != NoFault {
			fault = w.Fault // a machine that refuses is there, whatever a router says
		}
	}
	if len(f.Evidence) == 0 {
		return nil
	}
	who := "everybody on the network"
	if l.Host.IsValid() {
		who = l.Host.String()
	}
	f.Text = who + " was asked for sessions, and nobody answered within " + seconds(l.Waited)
	f.Cause, f.Advice = unansweredWhy(l.Host.IsValid(), fault)
	return []Finding{f}
}

// unansweredWhy gives cause and advice of a question that one host, or everybody, left without an answer.
func unansweredWhy(one bool, fault Fault) (cause, advice string) {
	switch {
	case fault == Unreachable && one:
		return "this machine, or a router on the way, says that there is no way to that address, or no machine at it.",
			"Look whether the address is right and the host's machine is on, and whether both are on one network or in one VPN."
	case fault == Unreachable:
		return "this machine has no network that a search could go to.",
			"Connect it to the network that the others are on, by cable, wireless or VPN, and look whether it got an address."
	case fault == Refused:
		return "the machine is there, and refuses: nothing on it takes questions at port 47624, so no game is hosted on it now. A firewall " +
				"that refuses looks the same.",
			"Look whether the game there has opened its session, and whether it is the right machine. If both are so, allow the game in its firewall."
	case one:
		return "no game is hosted at that address, the question does not get there (a firewall, a port 47624 that is not forwarded, another " +
				"network), or the host cannot connect back to this machine.",
			"Look whether the host has opened its session and which address it has; on the host forward UDP and TCP 47624 and 2300-2400, and " +
				"allow the game in the firewall, here as well."
	}
	return "nobody hosts a game on the network that the search went to, or a firewall drops the question or the answer.",
		"Look whether the host has opened its session. If it has, ask its machine alone, \"dplay doctor --live HOST\": a search does not " +
			"leave the local network. Allow the game in the firewall, here and there."
}
