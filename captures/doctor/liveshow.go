package doctor

import (
	"cmp"
	"slices"
	"strings"

	"dplay4/captures"
)

// show makes evidence of a way.
func (w Way) show() Evidence {
	return Evidence{Message: "ENUMSESSIONS", Field: w.Transport.String() + " " + w.To.String(), Value: w.outcome()}
}

// outcome returns the words for the result of a way.
func (w Way) outcome() string {
	switch heard := len(w.heard()); {
	case heard > 0:
		return count(heard, "session")
	case w.first().Transport == captures.UDP:
		return "answered by UDP"
	case len(w.Offers) > 0:
		return "answered at TCP " + itoa(w.first().At) + ", not at " + itoa(w.At)
	}
	return cmp.Or(w.Err, pick(w.Taken, "connected, and no answer", "no answer"))
}

// show makes evidence of a door.
func (d Door) show() Evidence {
	return Evidence{Message: "connect", Field: "tcp " + d.At.String(), Value: cmp.Or(d.Err, "connected")}
}

// show makes evidence of a knock.
func (k Knock) show() Evidence {
	v := pick(k.Taken, "taken", "got here, and was "+pick(k.Refused, "refused by this machine", "not taken"))
	return Evidence{Message: "SYN", Field: "to tcp " + itoa(k.To), Value: v}
}

// A Check is a test and its result.
type Check struct {
	What string `json:"what"`
	Seen string `json:"seen"`
}

// tried lists the tests and their results, also where nothing is wrong.
func (l *Live) tried() []Check {
	list := slices.Concat(mapped(l.Ways, func(w Way) Check {
		return Check{"asked " + pick(w.Any, "for every game, and each that is known: ", "") + w.Transport.String() + " " + w.To.String() +
			pick(w.At == 0, "", ", answer wanted at TCP "+itoa(w.At)), w.outcome()}
	}), mapped(l.Keys, func(k Key) Check {
		return Check{"asked for what shows itself to who knows the password", pick(k.Fits, "a session with that password", "no answer")}
	}), mapped(l.Doors, func(d Door) Check {
		return d.show().check("connected to ", " without a word")
	}), mapped(l.Pings, func(p Ping) Check {
		return p.show().check("sent a "+p.show().Message+" to ", ", from outside the session")
	}))
	if l.Watched {
		seen := mapped(l.Knocks, func(k Knock) string { return k.show().Field + " " + k.show().Value })
		list = append(list, Check{"watched for connections of the host to where answers are waited for", cmp.Or(strings.Join(seen, "; "), "none")})
	}
	return slices.Concat(list, mapped(l.Ports[:min(len(l.Ports), maxTried)], func(p Port) Check {
		return Check{p.Transport.String() + " port " + itoa(p.Number) + " of this machine", pick(p.Err == "", "free", p.show().Value)}
	}), mapped(l.playable(), func(a Adapter) Check { return a.show().check("looked at the adapter ", "") }))
}

// check returns the test that a piece of evidence is the result of. before and after are the words around its field.
func (e Evidence) check(before, after string) Check { return Check{before + e.Field + after, e.Value} }

// maxTried bounds the ports that are listed: a range can have thousands.
const maxTried = 12

// notTried lists the things that were not tested, and that can be the fault all the same.
func (l *Live) notTried() []string {
	d, host := l.datagrams(), l.Host.IsValid()
	return said([]saying{
		{!host, "asking a host by its address: dplay doctor --live HOST"},
		{l.Answered(), "joining: only then the host says whether it lets this machine in"},
		{!d.there.tried() || !d.back.tried(), "whether what games send by UDP (2350-2399) gets through, both ways"},
		{host && !l.Watched && !l.Answered(), "looking at this machine's packets, for which it takes root and Linux"},
		{true, "whether others reach this machine when it hosts"},
	})
}
