package doctor

import (
	"cmp"
	"strings"

	"dplay4/captures"
)

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
	return Evidence{Message: "connect", Field: "tcp " + d.At.String(), Value: cmp.Or(d.Err, "connected")}
}

// show makes evidence of a knock.
func (k *Knock) show() Evidence {
	v := pick(k.Taken, "taken", "got here, and was "+pick(k.Refused, "refused by this machine", "not taken"))
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
		list = append(list, Check{"asked " + pick(w.Any, "for every game, and each that is known: ", "") + w.Transport.String() + " " + w.To.String() +
			pick(w.At == 0, "", ", answer wanted at TCP "+itoa(int(w.At))), w.outcome()})
	}
	for _, k := range l.Keys {
		list = append(list, Check{"asked for what shows itself to who knows the password", pick(k.Fits, "a session with that password", "no answer")})
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
		var seen []string
		for i := range l.Knocks {
			e := l.Knocks[i].show()
			seen = append(seen, e.Field+" "+e.Value)
		}
		list = append(list, Check{"watched for connections of the host to where answers are waited for", cmp.Or(strings.Join(seen, "; "), "none")})
	}
	for i := range l.Ports[:min(len(l.Ports), maxTried)] {
		p := &l.Ports[i]
		list = append(list, Check{p.Transport.String() + " port " + itoa(int(p.Number)) + " of this machine", pick(p.Err == "", "free", p.show().Value)})
	}
	for _, a := range l.playable() {
		e := a.show()
		list = append(list, Check{"looked at the adapter " + e.Field, e.Value})
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
