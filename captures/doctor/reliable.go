package doctor

import (
	"fmt"
	"net/netip"
	"strings"

	"dplay4/captures/links"
	"dplay4/wire"
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
	way
	links []*links.Link
}

// traffics gathers the links by their machines, in the order in which they were met.
func (c *facts) traffics() []*traffic {
	var t table[way, traffic]
	for _, l := range c.Summary.Links {
		x := t.at(way{l.From, l.To})
		x.way, x.links = way{l.From, l.To}, append(x.links, l)
	}
	return t.list
}

// reliableLoss adds what reliable-loss finds in a capture.
func reliableLoss(c *facts, out *findings) {
	all := c.traffics()
	for _, t := range all {
		t.loss(c, out, all)
	}
}

// loss adds a finding about frames that were lost and sent again.
func (t *traffic) loss(c *facts, out *findings, all []*traffic) {
	r, back := t.bothRepeats(all)
	if r.lost()+r.twice == 0 || r.tooEarly(&back) && r.missing+r.unseen < badCount {
		return
	}
	f := out.add(r.words(c, t), showMarks(&r.Marks, "sent again")...)
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
	f.More = r.Count - len(f.Evidence)
	if len(f.Evidence) == 0 {
		f.Evidence = []Evidence{showPlace(t.links[0].First, "the first frame that came")}
	}
	f.felt(max(r.Count-r.still-r.copies-r.early, r.missing+r.unseen), r.data)
}

// felt lowers a finding to information if too few frames are bad.
func (f *Finding) felt(bad, of int) {
	if bad < badCount || percent(bad, of) < 100*badShare {
		f.Severity = Information
	}
}

func percent(part, of int) float64 { return 100 * float64(part) / float64(max(of, 1)) }

// reliableStalled adds what reliable-stalled finds in a capture.
func reliableStalled(c *facts, out *findings) {
	for _, l := range c.Summary.Links {
		for i := range l.Stalls {
			stalled(c, out, l, &l.Stalls[i])
		}
		if s, ok := l.Stalled(); ok && c.givenUp(l, &s) == nil {
			stalled(c, out, l, &s)
		}
		if n := len(*out); n > 0 {
			(*out)[n-1].more(l.MoreStalls)
		}
	}
}

// stalled adds a finding about one stall.
func stalled(c *facts, out *findings, l *links.Link, s *links.Stall) {
	until := s.Until.Frame > 0
	end := pick(until, s.Until, s.Last)
	f := out.add(c.who(l.To)+" acknowledged nothing of "+c.who(l.From)+" for "+seconds(end.Since(s.Since))+", while it sent "+
		count(s.Tries, "frame")+" again"+pick(s.Heard > 0, "; it went on to send frames of its own", "")+
		pick(until, "", ", and the capture ends so"), showPlace(s.Since, waited)).more(s.Tries - len(s.Places))
	for _, p := range s.Places {
		f.Evidence = append(f.Evidence, showPlace(p, "sent again, no answer"))
	}
	if until {
		f.Evidence = append(f.Evidence, showPlace(s.Until, "acknowledged"))
	}
}

// reliableGivenUp adds what reliable-given-up finds in a capture.
func reliableGivenUp(c *facts, out *findings) {
	told := map[way]bool{}
	for _, l := range c.Summary.Links {
		s, ok := l.Stalled()
		if !ok || told[way{l.From, l.To}] {
			continue
		}
		if d := c.givenUp(l, &s); d != nil {
			told[way{l.From, l.To}] = true
			out.add(c.who(l.From)+" gave "+c.who(l.To)+" up: nothing was acknowledged for "+seconds(d.Time.Sub(s.Since.Time))+", while "+
				count(s.Tries, "frame")+" came again; then "+c.who(d.By)+" said that "+d.Player.String()+" is gone", showPlace(s.Since, waited),
				showPlace(s.Last, "sent again, no answer"), d.show("PlayerID", d.Player.String())).more(s.Tries - 1)
		}
	}
}

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

// tell adds a finding about the marks that of returns for the links of a traffic, if there are any.
func (t *traffic) tell(out *findings, text, value string, of func(*links.Link) *links.Marks) {
	n := 0
	var ev []Evidence
	for _, l := range t.links {
		m := of(l)
		n += m.Count
		ev = append(ev, showMarks(m, value)...)
	}
	if n > 0 {
		out.add(text+", "+times(n), ev...).more(n - len(ev))
	}
}

// reliableHole adds what reliable-hole finds in a capture.
func reliableHole(c *facts, out *findings) {
	for _, t := range c.traffics() {
		t.tell(out, c.who(t.to)+" acknowledged frames of "+c.who(t.from)+" past some that had not arrived", "a frame before it had not arrived",
			func(l *links.Link) *links.Marks { return &l.Holes })
	}
}

// trips adds up the round trips.
func (t *traffic) trips() (trips links.Trips) {
	for _, l := range t.links {
		trips.Merge(&l.Trips)
	}
	return trips
}

// reliableTrips adds what reliable-round-trips finds in a capture.
func reliableTrips(c *facts, out *findings) {
	for _, t := range c.traffics() {
		if trips := t.trips(); trips.Count > 0 {
			out.add(fmt.Sprintf("%s answered %s of %s: after %s in the middle, %s at worst", c.who(t.to), count(trips.Count, "frame"), c.who(t.from),
				millis(trips.Median()), millis(trips.Worst)), showPlace(trips.WorstAt, "the slowest answer")).more(trips.Count - 1)
		}
	}
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

// reliableReading adds what reliable-reading finds in a capture.
func reliableReading(c *facts, out *findings) {
	for _, p := range c.Summary.Peers {
		var words []string
		var ev []Evidence
		for q, answers := range readings {
			a := p.Reading(links.Question(q))
			if links.Question(q) == links.Answers && p.Seen[q][0].Count > 0 {
				a = 0
			}
			if a >= 0 && answers[a] != "" {
				words = append(words, answers[a])
				ev = append(ev, showPlace(p.Seen[q][a].First, answers[a]))
			}
		}
		if p.Reliable > 0 && p.Unreliable == 0 {
			words = append(words, "everything is sent reliable")
		}
		if len(ev) > 0 {
			out.add(c.who(p.Machine)+" reads the reliable protocol so: "+strings.Join(words, ", "), ev...)
		}
	}
}
