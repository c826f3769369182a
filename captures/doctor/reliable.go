package doctor

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"dplay4/captures/links"
	"dplay4/wire"
)

// Above these a network is bad enough to be felt.
const (
	badShare = 0.05 // of frames that are sent again
	badCount = 5    // of them; fewer say nothing
)

// waited are the words for the beginning of a stall.
const waited = "the first frame that waited, or the last that was acknowledged"

// showPlace makes evidence of a place.
func showPlace(p links.Place, value string) Evidence {
	return Evidence{Frame: p.Frame, N: p.N, Time: p.Time, Value: value}
}

// showMarks makes evidence of the places of something that happened again and again.
func showMarks(m *links.Marks, value string) []Evidence {
	return mapped(m.Places, func(p links.Place) Evidence { return showPlace(p, value) })
}

// A traffic is all links from one machine to another.
type traffic struct {
	way
	links []*links.Link
	trips links.Trips // those of all links
	again repeats
}

// traffics gathers the links by their machines, in the order in which they were met.
func (c *facts) traffics() []*traffic {
	return mapped(groups(c.Summary.Links, linkWay), func(list []*links.Link) *traffic {
		t := &traffic{way: linkWay(list[0]), links: list, again: repeatsOf(list)}
		for _, l := range list {
			t.trips.Merge(&l.Trips)
		}
		return t
	})
}

// linkWay returns the machines of a link.
func linkWay(l *links.Link) way { return way{l.From, l.To} }

// eachTraffic returns a rule's function that calls judge with all links from one machine to another.
func eachTraffic(judge func(*facts, *traffic) *Finding) func(*facts) []*Finding {
	return each(func(c *facts) []*traffic { return c.traffic }, judge)
}

// reliableLoss is the rule reliable-loss for captures: frames were lost and sent again.
var reliableLoss = eachTraffic(func(c *facts, t *traffic) *Finding {
	r := &t.again
	if r.lost()+r.twice == 0 || c.tooEarly(t) && r.missing+r.unseen < badCount {
		return nil
	}
	f := found(r.words(c, t), showMarks(&r.Marks, "sent again")...)
	f.Text = strings.Join(append([]string{f.Text}, said([]saying{
		{r.still > 0, itoa(r.still) + " of them while nothing was acknowledged at all"},
		{r.twice > 0, itoa(r.twice) + " of them had been acknowledged"},
		{r.early > 0, itoa(r.early) + " of them came before the answer to the first sending, which had arrived"},
		{r.copies > 0, itoa(r.copies) + " of them are copies that the network or the capture made"},
		{r.unseen > 0, itoa(r.unseen) + " of its sendings did not reach the capture"},
		{r.missing > 0, itoa(r.missing) + " of its messageids never did"},
	})...), "; ")
	f.More = r.Count - len(f.Evidence)
	if len(f.Evidence) == 0 {
		f.with(showPlace(t.links[0].First, "the first frame that came"))
	}
	return f.felt(max(r.Count-r.still-r.copies-r.early, r.missing+r.unseen), r.data)
})

// felt lowers a finding to information if too few frames are bad.
func (f *Finding) felt(bad, of int) *Finding {
	return f.as(pick(bad < badCount || percent(bad, of) < 100*badShare, Information, f.Severity))
}

func percent(part, of int) float64 { return 100 * float64(part) / float64(max(of, 1)) }

// reliableStalled is the rule reliable-stalled for captures.
func reliableStalled(c *facts) []*Finding {
	return flat(c.Summary.Links, func(l *links.Link) []*Finding {
		stalls := slices.Clone(l.Stalls)
		if s, ok := l.Stalled(); ok && c.givenUp(l, &s) == nil {
			stalls = append(stalls, s)
		}
		list := mapped(stalls, func(s links.Stall) *Finding { return stalled(c, l, &s) })
		cmp.Or(last(list), new(Finding)).more(l.MoreStalls)
		return list
	})
}

// stalled returns the finding about one stall.
func stalled(c *facts, l *links.Link, s *links.Stall) *Finding {
	until := s.Until.Frame > 0
	end := pick(until, s.Until, s.Last)
	return found(c.who(l.To)+" acknowledged nothing of "+c.who(l.From)+" for "+seconds(end.Since(s.Since))+", while it sent "+
		count(s.Tries, "frame")+" again"+pick(s.Heard > 0, "; it went on to send frames of its own", "")+
		pick(until, "", ", and the capture ends so"), showPlace(s.Since, waited)).more(s.Tries - len(s.Places)).
		with(mapped(s.Places, func(p links.Place) Evidence { return showPlace(p, "sent again, no answer") })...).
		with(pick(until, showPlace(s.Until, "acknowledged"), Evidence{}))
}

// reliableGivenUp is the rule reliable-given-up for captures.
var reliableGivenUp = each(func(c *facts) []*links.Link {
	return once(where(c.Summary.Links, func(l *links.Link) bool {
		s, ok := l.Stalled()
		return ok && c.givenUp(l, &s) != nil
	}), linkWay)
}, func(c *facts, l *links.Link) *Finding {
	s, _ := l.Stalled()
	d := c.givenUp(l, &s)
	return found(c.who(l.From)+" gave "+c.who(l.To)+" up: nothing was acknowledged for "+seconds(d.Time.Sub(s.Since.Time))+", while "+
		count(s.Tries, "frame")+" came again; then "+c.who(d.By)+" said that "+d.Player.String()+" is gone", showPlace(s.Since, waited),
		showPlace(s.Last, "sent again, no answer"), d.show("PlayerID", d.Player.String())).more(s.Tries - 1)
})

// A deletion is a machine's word that a player of another one is gone.
type deletion struct {
	mark
	By, Machine netip.AddrPort
	Player      wire.PlayerID
}

// givenUp returns the deletion of a player of the machine that a stalled link leads to, nil if there is none.
func (c *facts) givenUp(l *links.Link, s *links.Stall) *deletion {
	return find(c.Deletions, func(d *deletion) bool { return d.Machine == l.To && d.N > s.Since.N })
}

// finding returns the finding about the marks that of returns for the links of a traffic; nil if there are none.
func (t *traffic) finding(text, value string, of func(*links.Link) *links.Marks) *Finding {
	n := sum(t.links, func(l *links.Link) int { return of(l).Count })
	f := found(text+", "+times(n), flat(t.links, func(l *links.Link) []Evidence { return showMarks(of(l), value) })...)
	return pick(n > 0, f.more(n-len(f.Evidence)), nil)
}

// reliableHole is the rule reliable-hole for captures.
var reliableHole = eachTraffic(func(c *facts, t *traffic) *Finding {
	return t.finding(c.who(t.to)+" acknowledged frames of "+c.who(t.from)+" past some that had not arrived", "a frame before it had not arrived",
		func(l *links.Link) *links.Marks { return &l.Holes })
})

// reliableTrips is the rule reliable-round-trips for captures.
var reliableTrips = each(func(c *facts) []*traffic {
	return where(c.traffic, func(t *traffic) bool { return t.trips.Count > 0 })
}, func(c *facts, t *traffic) *Finding {
	n := &t.trips
	return found(fmt.Sprintf("%s answered %s of %s: after %s in the middle, %s at worst", c.who(t.to), count(n.Count, "frame"), c.who(t.from),
		millis(n.Median()), millis(n.Worst)), showPlace(n.WorstAt, "the slowest answer")).more(n.Count - 1)
})

// readings are the answers, by question, that frames give to the open questions of the specification.
var readings = [...][2]string{
	links.Spaces: {"one messageid space for reliable and unreliable messages",
		"a messageid space for each of reliable and unreliable messages"},
	links.LinkPer:    {"a link for each pair of machines", "a link for each pair of indexes"},
	links.FirstID:    {"messageids from 1 on", "messageids from 0 on"},
	links.Sequences:  {"sequences that begin anew in each message", "sequences that run on through the link"},
	links.ToSystem:   {"game data to players", "game data to the system player"},
	links.InFront:    {"no ids in front of game data", "ids in front of game data"},
	links.Answers:    {"NACKs", ""},
	links.NACKObeyed: {"NACKs are obeyed at once", "NACKs are not obeyed at once"},
}

// reliableReading is the rule reliable-reading for captures.
var reliableReading = each(func(c *facts) []*links.Peer { return c.Summary.Peers }, func(c *facts, p *links.Peer) *Finding {
	var words []string
	f := found("")
	for q, answers := range readings {
		a := p.Reading(links.Question(q))
		a = pick(links.Question(q) == links.Answers && p.Seen[q][0].Count > 0, 0, a)
		if a >= 0 && answers[a] != "" {
			words = append(words, answers[a])
			f.with(showPlace(p.Seen[q][a].First, answers[a]))
		}
	}
	words = append(words, said([]saying{{p.Reliable > 0 && p.Unreliable == 0, "everything is sent reliable"}})...)
	f.Text = c.who(p.Machine) + " reads the reliable protocol so: " + strings.Join(words, ", ")
	return pick(len(f.Evidence) > 0, f, nil)
})
