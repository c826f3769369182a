package doctor

import (
	"cmp"
	"embed"
	"slices"
	"strings"
)

// A rule is one kind of finding: how it is recognised, and its severity unless a finding has another one. Cause and advice are in the page
// about the code.
type rule struct {
	code     Code
	severity Severity
	capture  func(*facts, *findings) // nil: a capture does not show it
	live     func(*Live, *findings)  // nil: it does not show from this machine

	// watch, if not nil, returns two functions for one capture: the first takes each message, before the facts have it, and the second
	// tells of what the first found, after capture. What they share is no fact that other rules ask about.
	watch func(*facts) (func(*message), func(*findings))
}

// rules are all rules. Of findings that are equally serious, those of the first one come first: what says the most
// about a cause stands before what is only its effect.
var rules = []*rule{
	&passwordWrong,
	&sessionFull,
	&joinDisabled,
	&newPlayersDisabled,
	&refused,
	&listMalformed,
	&replyCutShort,
	&addressPrivate,
	&replyRefused,
	&replyTimedOut,
	&questionIgnored,
	&replyNeverTried,
	&replyByUDP,
	&replyWrongPort,
	&appMismatch,
	&dialectMismatch,
	&broadcastAdapter,
	&enumPortTaken,
	&mtu,
	&enumUnanswered,
	&hostUnreachable,
	&peerUnreachable,
	&joinUnanswered,
	&joinAbandoned,
	&playerNeverCreated,
	&declaredDead,
	&samePorts,
	&udpBlocked,
	&udpOneWay,
	&severalHosts,
	&dataRefused,
	&memberSilent,
	&forwardUnacked,
	&addressNAT,
	&portsOutside,
	&portsTaken,
	&adapterOdd,
	&reliableGivenUp,
	&reliableStalled,
	&reliableHole,
	&reliableLoss,
	&reliableEarly,
	&reliableSource,
	&reliableFrames,
	&gameIDsUnknown,
	&messageMalformed,
	&noDirectPlay4,
	&captureIncomplete,
	&reliableTrips,
	&reliableReading,
}

// pages are the pages of the manual, one for each code.
//
//go:embed docs/*.md
var pages embed.FS

// Codes lists the codes of all findings, the most telling first.
func Codes() []Code {
	list := make([]Code, len(rules))
	for i, r := range rules {
		list[i] = r.code
	}
	return list
}

// Explain returns the manual's page about a code: Markdown, with a title in its first line. ok is false if there is no
// such code.
func Explain(code Code) (page string, ok bool) {
	for _, r := range rules {
		if r.code == code {
			b, err := pages.ReadFile("docs/" + string(code) + ".md")
			return string(b), err == nil
		}
	}
	return "", false
}

// Title returns the title of a code's page, "" if there is no such code.
func Title(code Code) string {
	page, _ := Explain(code)
	title, _, _ := strings.Cut(page, "\n")
	return strings.TrimPrefix(title, "# ")
}

// A manual is the texts of a page for findings, by the name of the case and the label: "Why:", "Do:" or "Short:". The page's own cause and
// advice have no name.
type manual map[[2]string]string

// parts are the parts of a page that begin with its own cause and advice.
var parts = map[string]string{"Why it happens": "Why:", "What to do": "Do:"}

// newManual reads a page. Its own cause and advice are the first paragraphs of two parts. A case is a heading and paragraphs that begin
// with a label.
func newManual(code Code) manual {
	page, _ := Explain(code)
	m, name, first := manual{}, "", ""
	for paragraph := range strings.SplitSeq(page, "\n\n") {
		text := strings.Join(strings.Fields(paragraph), " ")
		switch label, rest, _ := strings.Cut(text, " "); label {
		case "##":
			first = parts[rest]
		case "###":
			name = rest
		case "Why:", "Do:", "Short:":
			m[[2]string{name, label}] = rest
		default:
			if first == "Why:" { // a cause follows a colon in the report
				text = strings.ToLower(text[:1]) + text[1:]
			}
			m[[2]string{"", first}] = text
			first = ""
		}
	}
	return m
}

// of returns the texts under a label of the cases of a finding, "" if there is none.
func (m manual) of(f *Finding, label string) string {
	var list []string
	for _, name := range strings.Fields(f.section) {
		if text := m[[2]string{name, label}]; text != "" {
			list = append(list, text)
		}
	}
	return strings.NewReplacer(f.fill...).Replace(strings.Join(list, " "))
}

// findings are those of one rule.
type findings []*Finding

// add appends a finding.
func (l *findings) add(text string, evidence ...Evidence) *Finding {
	f := &Finding{Text: text, Evidence: evidence}
	*l = append(*l, f)
	return f
}

// more counts pieces of evidence that are not there.
func (f *Finding) more(n int) *Finding {
	f.More += n
	return f
}

// in takes cause, advice and brief from cases of the page, and fills them in.
func (f *Finding) in(section string, fill ...string) *Finding {
	f.section, f.fill = section, fill
	return f
}

// judge asks all rules, and sorts what they found.
func judge(ask func(i int, r *rule, out *findings)) []Finding {
	var all []Finding
	for i, r := range rules {
		var found findings
		if ask(i, r, &found); len(found) == 0 {
			continue
		}
		m := newManual(r.code)
		slices.SortStableFunc(found, func(a, b *Finding) int { return cmp.Compare(first(a), first(b)) })
		for _, f := range found {
			f.Code = r.code
			f.Severity = cmp.Or(f.Severity, r.severity)
			f.Cause = cmp.Or(m.of(f, "Why:"), m[[2]string{"", "Why:"}])
			f.Advice = cmp.Or(f.Advice, m.of(f, "Do:"), m[[2]string{"", "Do:"}])
			f.brief = m.of(f, "Short:")
			if n := len(f.Evidence); n > maxEvidence {
				f.Evidence, f.More = f.Evidence[:maxEvidence:maxEvidence], f.More+n-maxEvidence
			}
			all = append(all, *f)
		}
	}
	slices.SortStableFunc(all, func(a, b Finding) int { return cmp.Compare(b.Severity, a.Severity) })
	return all
}

// first returns the first frame of a finding.
func first(f *Finding) int {
	n := 0
	for _, e := range f.Evidence {
		if e.Frame > 0 && (n == 0 || e.Frame < n) {
			n = e.Frame
		}
	}
	return n
}
