package draw

import (
	"fmt"
	"strings"

	"dplay4/captures"
)

// Limits of what Mermaid takes.
const (
	mermaidOctets  = 48_000 // it refuses more than 50,000 characters unless its page is told otherwise
	mermaidDetails = 72     // columns of a message's fields
)

// AppendMermaid appends the picture as a sequence diagram for Mermaid, which Markdown on many sites shows. It is kept
// within the size that Mermaid takes by default: what is beyond is left out, with a note that says so.
func (d *Diagram) AppendMermaid(b []byte) []byte {
	start := len(b)
	b = fmt.Appendf(b, "---\ntitle: %s\n---\nsequenceDiagram\n", mermaidTitle(fit(d.Title, 80)))
	for i := range d.Lanes {
		l := &d.Lanes[i]
		b = fmt.Appendf(b, "    participant L%d as %s<br/>%s\n", i, mermaidText(fit(captures.Printable(l.Who()), 60)), mermaidText(l.Where()))
	}
	if l := d.Rest(); l != nil {
		b = fmt.Appendf(b, "    Note over L%d: %s\n", len(d.Lanes)-1, mermaidText(fit(l.rest(), 400)))
	}
	told := map[int]bool{}
	for i := range d.Steps {
		line := d.mermaidStep(&d.Steps[i], told)
		if len(b)-start+len(line) > mermaidOctets {
			return fmt.Appendf(b, "    Note over %s: %s\n", d.mermaidAll(),
				mermaidText(counted(len(d.Steps)-i, "row")+" left out: Mermaid takes no more"))
		}
		b = append(b, line...)
	}
	return b
}

// mermaidStep returns the lines of a step.
func (d *Diagram) mermaidStep(s *Step, told map[int]bool) string {
	var b strings.Builder
	text := mermaidText(fit(strings.TrimSpace(s.Command+" "+s.Details()), mermaidDetails))
	switch {
	case s.Kind == Silence:
		fmt.Fprintf(&b, "    Note over %s: %s\n", d.mermaidAll(), mermaidText("... "+s.Details()+" ..."))
	case s.Kind == Band:
		fmt.Fprintf(&b, "    Note over %s: %s\n", d.mermaidAll(), text)
	case s.Kind == Note:
		fmt.Fprintf(&b, "    Note over %s: %s\n", d.mermaidAll(), mermaidText(seconds(s.At)+" s: "+s.Text))
	default:
		arrow := "->>"
		if s.UDP {
			arrow = "-->>" // dashed: nothing makes sure that it arrives
		}
		if s.stopped() {
			arrow = "--x"
		}
		for _, to := range s.To {
			fmt.Fprintf(&b, "    L%d%sL%d: %s\n", s.From, arrow, to, text)
		}
	}
	for _, i := range s.Findings {
		f := &d.Findings[i]
		what := fmt.Sprintf("%d %s %s", i+1, f.Severity, f.Code)
		if !told[i] {
			what += ": " + f.Text
			told[i] = true
		}
		fmt.Fprintf(&b, "    Note over %s: %s\n", d.mermaidAll(), mermaidText("⚠ "+fit(what, 200)))
	}
	return b.String()
}

// mermaidAll names the lanes that a note goes over.
func (d *Diagram) mermaidAll() string {
	if len(d.Lanes) < 2 {
		return "L0"
	}
	return fmt.Sprintf("L0,L%d", len(d.Lanes)-1)
}

// mermaidEscape has codes for the characters that mean something to Mermaid, or to the HTML that it makes.
var mermaidEscape = strings.NewReplacer("#", "#35;", ";", "#59;", "<", "#lt;", ">", "#gt;", "&", "#amp;", "%", "#37;", "\\", "#92;", "`", "#96;",
	"{", "#123;", "}", "#125;", "\"", "#quot;", "$", "#36;")

func mermaidText(s string) string { return mermaidEscape.Replace(captures.Printable(s)) }

// mermaidTitle quotes a title for the YAML in front of the diagram.
func mermaidTitle(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(captures.Printable(s)) + `"`
}
