package doctor

import (
	"fmt"
	"net/netip"
	"strings"

	"dplay4/captures/links"
)

// Above these a network is bad enough to be felt.
const (
	badShare = 0.05 // of frames that are sent again
	badCount = 5    // of them; fewer say nothing
)

// waited says what the beginning of a stall is.
const waited = "the first frame that waited, or the last that was acknowledged"

// showPlace makes evidence of a place.
func showPlace(p links.Place, value string) Evidence {
	return Evidence{Frame: p.Frame, N: p.N, Time: p.Time, Value: value}
}

// showMarks makes evidence of the places of something that happened again and again.
func showMarks(m *links.Marks, value string) (list []Evidence) {
	for _, p := range m.Places {
		list = append(list, showPlace(p, value))
	}
	return list
}

// A traffic is all links from one machine to another.
type traffic struct {
	from, to netip.AddrPort
	links    []*links.Link
}

// traffics gathers the links by their machines, in the order in which they were met.
func (c *facts) traffics() (list []*traffic) {
	by := map[[2]netip.AddrPort]*traffic{}
	for _, l := range c.Summary.Links {
		k := [2]netip.AddrPort{l.From, l.To}
		if by[k] == nil {
			by[k] = &traffic{from: l.From, to: l.To}
			list = append(list, by[k])
		}
		by[k].links = append(by[k].links, l)
	}
	return list
}

var reliableLoss = rule{
	code: "reliable-loss", severity: Warning,
	capture: func(c *facts) (list []Finding) {
		all := c.traffics()
		for _, t := range all {
			if f, ok := t.loss(c, all); ok {
				list = append(list, f)
			}
		}
		return list
	},
}

// loss tells of what was lost and sent again.
func (t *traffic) loss(c *facts, all []*traffic) (f Finding, ok bool) {
	r, back := t.bothRepeats(all)
	if r.lost()+r.twice == 0 || r.tooEarly(&back) && r.missing+r.unseen < badCount {
		return f, false
	}
	f.Text = r.words(c, t)
	for _, n := range []struct {
		count int
		words string
	}{
		{r.still, "of them while nothing was acknowledged at all"}, {r.twice, "of them had been acknowledged"},
		{r.early, "of them came before the answer to the first sending, which had arrived"},
		{r.copies, "of them are copies that the network or the capture made"},
		{r.unseen, "of its sendings did not reach the capture"}, {r.missing, "of its messageids never did"},
	} {
		if n.count > 0 {
			f.Text += "; " + itoa(n.count) + " " + n.words
		}
	}
	f.Evidence = showMarks(&r.Marks, "sent again")
	f.More = r.Count - len(f.Evidence)
	if len(f.Evidence) == 0 {
		f.Evidence = []Evidence{showPlace(t.links[0].First, "the first frame that came")}
	}
	lost := max(r.Count-r.still-r.copies-r.early, r.missing+r.unseen)
	if lost < badCount || percent(lost, r.data) < 100*badShare {
		f.Severity = Information
	}
	return f, true
}

func percent(part, of int) float64 { return 100 * float64(part) / float64(max(of, 1)) }

var reliableStalled = rule{
	code: "reliable-stalled", severity: Warning,
	capture: func(c *facts) (list []Finding) {
		for _, l := range c.Summary.Links {
			for i := range l.Stalls {
				list = append(list, stalled(c, l, &l.Stalls[i]))
			}
			if s, ok := l.Stalled(); ok && c.givenUp(l, &s) == nil {
				list = append(list, stalled(c, l, &s))
			}
			if n := len(list); n > 0 {
				list[n-1].More += l.MoreStalls
			}
		}
		return list
	},
}

// stalled tells of one stall.
func stalled(c *facts, l *links.Link, s *links.Stall) Finding {
	end := s.Last
	if s.Until.Frame > 0 {
		end = s.Until
	}
	text := c.who(l.To) + " acknowledged nothing of " + c.who(l.From) + " for " + seconds(end.Since(s.Since)) +
		", while it sent " + count(s.Tries, "frame") + " again"
	if s.Heard > 0 {
		text += "; it went on to send frames of its own"
	}
	f := Finding{Evidence: []Evidence{showPlace(s.Since, waited)}}
	for _, p := range s.Places {
		f.Evidence = append(f.Evidence, showPlace(p, "sent again, no answer"))
	}
	f.More = s.Tries - len(s.Places)
	if s.Until.Frame > 0 {
		f.Evidence = append(f.Evidence, showPlace(s.Until, "acknowledged"))
	} else {
		text += ", and the capture ends so"
	}
	f.Text = text
	return f
}

var reliableGivenUp = rule{
	code: "reliable-given-up", severity: Failure,
	capture: func(c *facts) (list []Finding) {
		told := map[[2]netip.AddrPort]bool{}
		for _, l := range c.Summary.Links {
			s, ok := l.Stalled()
			k := [2]netip.AddrPort{l.From, l.To}
			if !ok || told[k] {
				continue
			}
			d := c.givenUp(l, &s)
			if d == nil {
				continue
			}
			told[k] = true
			list = append(list, Finding{
				Text: c.who(l.From) + " gave " + c.who(l.To) + " up: nothing was acknowledged for " +
					seconds(d.Time.Sub(s.Since.Time)) + ", while " + count(s.Tries, "frame") + " came again; then " + c.who(d.By) +
					" said that " + d.Player.String() + " is gone",
				Evidence: []Evidence{showPlace(s.Since, waited),
					showPlace(s.Last, "sent again, no answer"), d.show("PlayerID", d.Player.String())},
				More: s.Tries - 1,
			})
		}
		return list
	},
}

// givenUp returns the deletion of a player of the machine that a stalled link leads to, nil if there is none.
func (c *facts) givenUp(l *links.Link, s *links.Stall) *deletion {
	for _, d := range c.Deletions {
		if d.Machine == l.To && d.N > s.Since.N {
			return d
		}
	}
	return nil
}

var reliableHole = rule{
	code: "reliable-hole", severity: Warning,
	capture: func(c *facts) (list []Finding) {
		for _, t := range c.traffics() {
			f := Finding{}
			n := 0
			for _, l := range t.links {
				n += l.Holes.Count
				f.Evidence = append(f.Evidence, showMarks(&l.Holes, "a frame before it had not arrived")...)
			}
			if n == 0 {
				continue
			}
			f.Text = c.who(t.to) + " acknowledged frames of " + c.who(t.from) + " past some that had not arrived, " + times(n)
			f.More = n - len(f.Evidence)
			list = append(list, f)
		}
		return list
	},
}

var reliableTrips = rule{
	code: "reliable-round-trips", severity: Information,
	capture: func(c *facts) (list []Finding) {
		for _, t := range c.traffics() {
			var trips links.Trips
			for _, l := range t.links {
				trips.Merge(&l.Trips)
			}
			if trips.Count == 0 {
				continue
			}
			list = append(list, Finding{
				Text: fmt.Sprintf("%s answered %s of %s: after %s in the middle, %s at worst", c.who(t.to),
					count(trips.Count, "frame"), c.who(t.from), millis(trips.Median()), millis(trips.Worst)),
				Evidence: []Evidence{showPlace(trips.WorstAt, "the slowest answer")}, More: trips.Count - 1,
			})
		}
		return list
	},
}

// readings are the answers that frames show to what the specification leaves open, in words, by question.
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

var reliableReading = rule{
	code: "reliable-reading", severity: Information,
	capture: func(c *facts) (list []Finding) {
		for _, p := range c.Summary.Peers {
			var words []string
			var f Finding
			for q, answers := range readings {
				a := p.Reading(links.Question(q))
				if links.Question(q) == links.Answers && p.Seen[q][0].Count > 0 {
					a = 0
				}
				if a < 0 || answers[a] == "" {
					continue
				}
				words = append(words, answers[a])
				f.Evidence = append(f.Evidence, showPlace(p.Seen[q][a].First, answers[a]))
			}
			if p.Reliable > 0 && p.Unreliable == 0 {
				words = append(words, "everything is sent reliable")
			}
			if len(f.Evidence) == 0 {
				continue
			}
			f.Text = c.who(p.Machine) + " reads the reliable protocol so: " + strings.Join(words, ", ")
			list = append(list, f)
		}
		return list
	},
}
