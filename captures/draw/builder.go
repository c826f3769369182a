package draw

import (
	"time"
	"unicode/utf8"

	"dplay4/captures"
	"dplay4/captures/doctor"
	"dplay4/captures/show"
	"dplay4/wire"
)

// Options steer a Builder. The zero value draws everything in DefaultRows rows.
type Options struct {
	Title    string
	Rows     int              // at most, findings apart; 0: DefaultRows
	Findings []doctor.Finding // to be marked; those beyond maxFindings are left out
	Looked   bool             // somebody looked for findings: that there are none means something only then
	Partial  bool             // only some messages are drawn: findings that belong to no message have no rows

	Game func(application wire.GUID) string // returns the title of a game, "" if it is not known; may be nil
}

// A Builder makes a Diagram of the records of one capture. It keeps nothing of a record but names.
type Builder struct {
	opt     Options
	left    int
	start   time.Time
	last    time.Duration
	started bool
	ends    *endpoints
	marks   *marks
	folder  folder
	frames  frames
	players playerTable
	details []byte
	names   map[string]string // of commands, each once
	count   int
	done    *Diagram
}

// NewBuilder makes a Builder.
func NewBuilder(opt Options) *Builder {
	if opt.Rows <= 0 {
		opt.Rows = DefaultRows
	}
	b := &Builder{opt: opt, ends: newEndpoints(), names: map[string]string{}}
	shown := opt.Findings[:min(len(opt.Findings), maxFindings)]
	b.left = len(opt.Findings) - len(shown)
	b.opt.Findings = cleaned(shown)
	b.marks = newMarks(b.opt.Findings)
	b.folder.limit = maxItems
	b.players.init(b.ends)
	return b
}

// Begin sets the time that times count from; without it, they count from the first record that is added.
func (b *Builder) Begin(t time.Time) {
	if !b.started {
		b.start, b.started = t, true
	}
}

// since returns a time after the start. A clock may have been set back while a capture was made.
func (b *Builder) since(t time.Time) time.Duration { return t.Sub(b.start) }

// Add takes a record.
func (b *Builder) Add(r *captures.Record) { b.add(r) }

// add takes a record and returns its item, as it is before others become part of it.
func (b *Builder) add(r *captures.Record) item {
	b.Begin(r.Time)
	b.ends.learn(r)
	i, j := b.ends.add(r.From), b.ends.add(r.To)
	at := b.since(r.Time)
	b.last = max(b.last, at)
	b.count++
	class, repeats := classOf(r)
	it := item{Step: Step{
		At: at, Last: at, N: r.N, LastN: r.N, From: i, To: []int{j}, UDP: r.Transport == captures.UDP,
		Class: class, Command: b.command(labelOf(r)), Count: 1, Min: len(r.Raw), Max: len(r.Raw), Octets: int64(len(r.Raw)),
		Findings: b.marks.of(r.N, r.Frames), Frame: show.LastFrame(r),
	}}
	e := &b.ends.list[i]
	e.sent++
	e.octets += int64(len(r.Raw))
	e.seen++
	b.ends.list[j].seen++
	b.players.add(r, at, i)
	b.folder.add(&it, repeats, func() string { return b.text(r) })
	b.frames.add(r, it.key())
	return it
}

// text returns the fields of a message that matter, cut to what a row has place for.
func (b *Builder) text(r *captures.Record) string {
	b.details = show.Details(b.details[:0], r, show.PayloadHex)
	return cut(string(b.details), maxText)
}

// cut returns the first n octets of a text, whole characters of it, with a sign that there is more.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// command returns a name that many rows share.
func (b *Builder) command(name string) string {
	if have, ok := b.names[name]; ok {
		return have
	}
	if len(b.names) >= maxCommands {
		return "other commands"
	}
	b.names[name] = name
	return name
}

// Diagram returns the picture of what was added. The Builder can take no more after that.
func (b *Builder) Diagram() *Diagram {
	if b.done == nil {
		b.done = b.draw()
	}
	return b.done
}

func (b *Builder) draw() *Diagram {
	d := &Diagram{
		Title: captures.Printable(b.opt.Title), Start: b.start, Duration: b.last, Messages: b.count, Findings: b.opt.Findings, Left: b.left,
		Looked: b.opt.Looked,
	}
	b.players.complete()
	l := newLaner(b.ends, &b.players)
	d.Lanes, d.lanes, d.machines = l.lanes, l.of, l.machine
	d.Players = b.players.table(d)
	b.frames.mark(b.folder.items)
	items := b.folder.lanes(l)
	items = shrink(items, b.opt.Rows)
	d.Steps = b.steps(items)
	return d
}
