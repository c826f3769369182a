package doctor

import "fmt"

var captureIncomplete = rule{
	code: "capture-incomplete", severity: Note,
	cause: "the capture program was too slow, cut packets short, was stopped, or had a filter that drops IP fragments: it lacks what " +
		"was on the network. That says nothing about the game.",
	advice: "Do not chase what is missing here. Capture again without a snap length (-s 0) and without a filter on ports, which drops IP fragments.",
	capture: func(c *Case) []Finding {
		var f Finding
		for _, l := range c.Losses {
			f.Evidence = append(f.Evidence, l.show("", l.Text))
		}
		octets := c.Summary.TCP.Lost + c.Summary.UDP.Lost
		switch {
		case octets > 0:
			f.Text = fmt.Sprintf("the capture lacks %d octets of messages that were sent", octets)
		case len(f.Evidence) > 0:
			f.Text = "the capture lacks parts of what was sent"
		default:
			return nil
		}
		return []Finding{f}
	},
}
