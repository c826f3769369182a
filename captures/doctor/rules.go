package doctor

import (
	"cmp"
	"embed"
	"slices"
	"strings"
)

// A rule is one kind of finding: its severity unless a finding has another one, and functions that return the findings, some of which may be
// nil. Cause and advice are in the page about the code.
type rule struct {
	code     Code
	severity Severity
	capture  func(*facts) []*Finding // nil: a capture does not show it
	live     func(*Live) []*Finding  // nil: it does not show from this machine
}

// rules are all rules. Of findings that are equally serious, those of the first one come first: a rule about a
// cause stands before a rule about its effects.
var rules = []rule{
	{code: "password-wrong", severity: Failure, capture: passwordWrong, live: livePasswordWrong},
	{code: "session-full", severity: Failure, capture: sessionFull, live: liveSessionFull},
	{code: "join-disabled", severity: Failure, capture: joinDisabled, live: liveJoinDisabled},
	{code: "new-players-disabled", severity: Failure, capture: newPlayersDisabled, live: liveNewPlayersDisabled},
	{code: "refused", severity: Failure, capture: refused},
	{code: "list-malformed", severity: Failure, capture: listMalformed},
	{code: "reply-cut-short", severity: Failure, capture: replyCutShort},
	{code: "address-private", severity: Failure, capture: addressPrivate},
	{code: "reply-refused", severity: Failure, capture: replyRefused, live: blamed("reply-refused")},
	{code: "reply-timed-out", severity: Failure, capture: replyTimedOut, live: blamed("reply-timed-out")},
	{code: "question-ignored", severity: Failure, capture: questionIgnored},
	{code: "reply-never-tried", severity: Failure, capture: replyNeverTried, live: blamed("reply-never-tried")},
	{code: "reply-by-udp", severity: Failure, capture: replyByUDP, live: liveReplyByUDP},
	{code: "reply-wrong-port", severity: Failure, capture: replyWrongPort, live: blamed("reply-wrong-port")},
	{code: "app-mismatch", severity: Failure, capture: appMismatch, live: liveGame},
	{code: "dialect-mismatch", severity: Failure, capture: dialectMismatch, live: liveDialectMismatch},
	{code: "broadcast-wrong-adapter", severity: Failure, capture: broadcastAdapter, live: liveBroadcast},
	{code: "enum-port-taken", severity: Failure, live: enumPortTaken},
	{code: "mtu", severity: Failure, capture: blackHoles, live: liveMtu},
	{code: "enum-unanswered", severity: Failure, capture: enumUnanswered, live: liveUnanswered},
	{code: "host-unreachable", severity: Failure, capture: hostUnreachable, live: liveHostUnreachable},
	{code: "peer-unreachable", severity: Failure, capture: peerUnreachable},
	{code: "join-unanswered", severity: Failure, capture: joinUnanswered},
	{code: "join-abandoned", severity: Failure, capture: joinAbandoned},
	{code: "player-never-created", severity: Failure, capture: playerNeverCreated},
	{code: "declared-dead", severity: Failure, capture: declaredDead},
	{code: "same-ports", severity: Failure, capture: samePorts},
	{code: "udp-blocked", severity: Failure, capture: udpBlocked, live: liveUDP},
	{code: "udp-one-way", severity: Failure, capture: udpOneWay, live: liveOneWay},
	{code: "several-hosts", severity: Warning, capture: severalHosts},
	{code: "data-refused", severity: Warning, capture: dataRefused},
	{code: "member-silent", severity: Warning, capture: memberSilent},
	{code: "add-forward-unacked", severity: Warning, capture: forwardUnacked},
	{code: "address-nat", severity: Warning, capture: addressNAT},
	{code: "ports-outside-range", severity: Warning, capture: portsOutside},
	{code: "ports-taken", severity: Warning, live: portsTaken},
	{code: "adapter-vpn", severity: Warning, live: adapterOdd},
	{code: "reliable-given-up", severity: Failure, capture: reliableGivenUp},
	{code: "reliable-stalled", severity: Warning, capture: reliableStalled},
	{code: "reliable-hole", severity: Warning, capture: reliableHole},
	{code: "reliable-loss", severity: Warning, capture: reliableLoss},
	{code: "sent-again-too-early", severity: Warning, capture: reliableEarly},
	{code: "reliable-source", severity: Warning, capture: reliableSource},
	{code: "reliable-frames-wrong", severity: Warning, capture: reliableFrames},
	{code: "game-ids-unknown", severity: Failure, capture: gameIDsUnknown},
	{code: "message-malformed", severity: Warning, capture: messageMalformed, live: blamed("message-malformed")},
	{code: "no-directplay4", severity: Note, capture: noDirectPlay4},
	{code: "capture-incomplete", severity: Note, capture: captureIncomplete},
	{code: "reliable-round-trips", severity: Information, capture: reliableTrips},
	{code: "reliable-reading", severity: Information, capture: reliableReading},
}

// pages are the pages of the manual, one for each code.
//
//go:embed docs/*.md
var pages embed.FS

// Codes lists the codes of all findings, the most telling first.
func Codes() []Code {
	return mapped(rules, func(r rule) Code { return r.code })
}

// Explain returns the manual's page about a code: Markdown, with a title in its first line. ok is false if there is no
// such code.
func Explain(code Code) (page string, ok bool) {
	b, err := pages.ReadFile("docs/" + string(code) + ".md")
	return string(b), err == nil
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
	texts := mapped(strings.Fields(f.section), func(name string) string { return m[[2]string{name, label}] })
	return strings.NewReplacer(f.fill...).Replace(strings.Join(where(texts, func(t string) bool { return t != "" }), " "))
}

// found returns a finding. It leaves out evidence of places that the capture does not have.
func found(text string, evidence ...Evidence) *Finding {
	return (&Finding{Text: text}).with(evidence...)
}

// with appends evidence, but none of places that the capture does not have.
func (f *Finding) with(evidence ...Evidence) *Finding {
	f.Evidence = append(f.Evidence, where(evidence, Evidence.is)...)
	return f
}

// begins puts a piece of evidence before the others.
func (f *Finding) begins(e Evidence) *Finding {
	f.Evidence = append(where([]Evidence{e}, Evidence.is), f.Evidence...)
	return f
}

// is reports whether a piece of evidence is of a place that the capture has.
func (e Evidence) is() bool { return e != Evidence{} }

// more counts pieces of evidence that the finding leaves out.
func (f *Finding) more(n int) *Finding {
	f.More += n
	return f
}

// in sets the cases of the page that have cause, advice and brief, and the words for their braces.
func (f *Finding) in(section string, fill ...string) *Finding {
	f.section, f.fill = section, fill
	return f
}

// as sets another severity than that of the rule; 0 leaves that one.
func (f *Finding) as(s Severity) *Finding {
	f.Severity = s
	return f
}

// ends appends a piece of evidence, and leaves out others before it if there are too many.
func (f *Finding) ends(e Evidence) *Finding {
	n := min(len(f.Evidence), maxEvidence-1)
	f.Evidence, f.More = f.Evidence[:n:n], f.More+len(f.Evidence)-n
	return f.with(e)
}

// judge returns the findings of all rules, the most serious first. of returns a rule's function for c, nil if it has none.
func judge[C any](c C, of func(rule) func(C) []*Finding) (list []Finding) {
	for _, r := range rules {
		ask := of(r)
		if ask == nil {
			continue
		}
		found := where(ask(c), func(f *Finding) bool { return f != nil })
		slices.SortStableFunc(found, func(a, b *Finding) int { return cmp.Compare(a.first(), b.first()) })
		m := newManual(r.code)
		for _, f := range found {
			list = append(list, f.complete(r, m))
		}
	}
	slices.SortStableFunc(list, func(a, b Finding) int { return cmp.Compare(b.Severity, a.Severity) })
	return list
}

// complete returns a finding of a rule with its code, its severity, and the texts of the page.
func (f *Finding) complete(r rule, m manual) Finding {
	f.Code = r.code
	f.Severity = cmp.Or(f.Severity, r.severity)
	f.Cause = cmp.Or(m.of(f, "Why:"), m[[2]string{"", "Why:"}])
	f.Advice = cmp.Or(f.Advice, m.of(f, "Do:"), m[[2]string{"", "Do:"}])
	f.brief = m.of(f, "Short:")
	n := min(len(f.Evidence), maxEvidence)
	f.Evidence, f.More = f.Evidence[:n:n], f.More+len(f.Evidence)-n
	return *f
}

// first returns the first frame of a finding, 0 if it has none. Evidence without a frame does not count.
func (f *Finding) first() (n int) {
	for _, e := range f.Evidence {
		n = cmp.Or(min(n, e.Frame), n, e.Frame)
	}
	return n
}
