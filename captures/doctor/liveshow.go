package doctor

import "dplay4/captures"

// show makes evidence of a way.
func (w *Way) show() Evidence {
	return Evidence{Message: "ENUMSESSIONS", Field: w.Transport.String() + " " + w.To.String(), Value: w.outcome()}
}

// outcome says what came of a way.
func (w *Way) outcome() string {
	heard := len(w.heard())
	switch {
	case heard > 0:
		return count(heard, "session")
	case len(w.Offers) > 0 && w.Offers[0].Transport == captures.UDP:
		return "answered by UDP"
	case len(w.Offers) > 0:
		return "answered at TCP " + itoa(int(w.Offers[0].At)) + ", not at " + itoa(int(w.At))
	case w.Err != "":
		return w.Err
	case w.Taken:
		return "connected, and no answer"
	}
	return "no answer"
}

// show makes evidence of a door.
func (d *Door) show() Evidence {
	v := "connected"
	if d.Err != "" {
		v = d.Err
	}
	return Evidence{Message: "connect", Field: "tcp " + d.At.String(), Value: v}
}

// show makes evidence of a knock.
func (k *Knock) show() Evidence {
	v := "got here, and was not taken"
	switch {
	case k.Taken:
		v = "taken"
	case k.Refused:
		v = "got here, and was refused by this machine"
	}
	return Evidence{Message: "SYN", Field: "to tcp " + itoa(int(k.To)), Value: v}
}

// A Check is something that was tried, and what was seen.
type Check struct {
	What string `json:"what"`
	Seen string `json:"seen"`
}

// tried lists what was tried, and what was seen: also, and above all, where nothing is wrong.
func (l *Live) tried() (list []Check) {
	for i := range l.Ways {
		w := &l.Ways[i]
		what := "asked "
		if w.Any {
			what += "for every game, and each that is known: "
		}
		what += w.Transport.String() + " " + w.To.String()
		if w.At != 0 {
			what += ", answer wanted at TCP " + itoa(int(w.At))
		}
		list = append(list, Check{what, w.outcome()})
	}
	for _, k := range l.Keys {
		c := Check{"asked for what shows itself to who knows the password", "no answer"}
		if k.Fits {
			c.Seen = "a session with that password"
		}
		list = append(list, c)
	}
	for i := range l.Doors {
		e := l.Doors[i].show()
		list = append(list, Check{"connected to " + e.Field + " without a word", e.Value})
	}
	for i := range l.Pings {
		e := l.Pings[i].show()
		list = append(list, Check{"sent a " + e.Message + " to " + e.Field + ", from outside the session", e.Value})
	}
	if l.Watched {
		list = append(list, l.watched())
	}
	list = append(list, l.triedPorts()...)
	for _, a := range l.playable() {
		e := a.show()
		list = append(list, Check{"looked at the adapter " + e.Field, e.Value})
	}
	return list
}

// watched says which connections of the host got here.
func (l *Live) watched() Check {
	c := Check{"watched for connections of the host to where answers are waited for", "none"}
	for i := range l.Knocks {
		e := l.Knocks[i].show()
		if i == 0 {
			c.Seen = ""
		} else {
			c.Seen += "; "
		}
		c.Seen += e.Field + " " + e.Value
	}
	return c
}

// triedPorts lists the ports of this machine that were tried.
func (l *Live) triedPorts() (list []Check) {
	for i := range l.Ports {
		p := &l.Ports[i]
		c := Check{p.Transport.String() + " port " + itoa(int(p.Number)) + " of this machine", "free"}
		if p.Err != "" {
			c.Seen = p.show().Value
		}
		if len(list) < maxTried {
			list = append(list, c)
		}
	}
	return list
}

// maxTried bounds the ports that are listed: a range can have thousands.
const maxTried = 12

// notTried lists what could stand in the way all the same.
func (l *Live) notTried() (list []string) {
	if !l.Host.IsValid() {
		list = append(list, "asking a host by its address: dplay doctor --live HOST")
	}
	if l.answered() {
		list = append(list, "joining: only then the host says whether it lets this machine in")
	}
	if d := l.datagrams(); d.there == nil || d.back == nil {
		list = append(list, "whether what games send by UDP (2350-2399) gets through, both ways")
	}
	if !l.Watched && l.Host.IsValid() && !l.answered() {
		list = append(list, "looking at this machine's packets, for which it takes root and Linux")
	}
	return append(list, "whether others reach this machine when it hosts")
}
