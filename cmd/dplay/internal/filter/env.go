package filter

import (
	"net/netip"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/types"

	"dplay4/captures"
	"dplay4/captures/links"
	"dplay4/captures/show"
)

// A filterContext is the message that a filter looks at.
type filterContext struct {
	rec    *captures.Record
	fields fieldMaps
	built  bool // fields are those of rec
	work   int  // that is left

	sockets map[netip.AddrPort]any // written addresses: there are few, and writing one takes long
	ips     map[netip.Addr]any

	sought sought // in the messages since Absent was asked

	addressText   string // what address was asked for last, and what that means
	addressWanted wantedAddress
}

// maxWritten bounds the addresses kept in writing.
const maxWritten = 4096

// begin makes r the message that is looked at.
func (c *filterContext) begin(r *captures.Record) { c.rec, c.built, c.work = r, false, maxWork }

// A lookup puts one value of a message into the environment.
type lookup struct {
	name string
	is   types.Type // so that wrong comparisons are found before the first message; Any where it can be absent
	get  func(c *filterContext) any
}

// fields is the type of an object whose keys are those of messageKeys.
var fields = types.Map{types.Extra: types.Any}

// lookups are the names that an expression may use.
var lookups = []lookup{
	{"n", types.Int, func(c *filterContext) any { return c.rec.N }},
	{"frames", types.Array(types.Int), func(c *filterContext) any { return c.rec.Frames }},
	{"time", types.String, func(c *filterContext) any { return c.rec.Time.UTC().Format(timeLayout) }},
	{"relative", types.Float64, func(c *filterContext) any { return show.Seconds(c.rec.Since) }},
	{"gap", types.Float64, func(c *filterContext) any { return show.Seconds(c.rec.Gap) }},
	{"transport", types.String, func(c *filterContext) any { return c.rec.Transport.String() }},
	{"src", types.String, func(c *filterContext) any { return c.socket(c.rec.Src) }},
	{"dst", types.String, func(c *filterContext) any { return c.socket(c.rec.Dst) }},
	{"src_ip", types.String, func(c *filterContext) any { return c.ip(c.rec.Src.Addr()) }},
	{"dst_ip", types.String, func(c *filterContext) any { return c.ip(c.rec.Dst.Addr()) }},
	{"src_port", types.Int, func(c *filterContext) any { return int(c.rec.Src.Port()) }},
	{"dst_port", types.Int, func(c *filterContext) any { return int(c.rec.Dst.Port()) }},
	{"size", types.Int, func(c *filterContext) any { return len(c.rec.Raw) }},
	{"command", types.String, func(c *filterContext) any { return c.rec.Command() }},
	{"dialect", types.Any, func(c *filterContext) any { return c.dialect() }},
	{"conversation", types.Int, func(c *filterContext) any { return c.rec.Conversation }},
	{"via", types.String, func(c *filterContext) any { return c.via() }},
	{"link", types.Any, func(c *filterContext) any { return c.step(func(s *links.Step) int { return s.Link.Number }) }},
	{"again", types.Any, func(c *filterContext) any { return c.step(func(s *links.Step) int { return s.Again }) }},
	{"missing", types.Any, func(c *filterContext) any { return c.step(func(s *links.Step) int { return s.Missing }) }},
	{"answers", types.Any, func(c *filterContext) any { return c.step(func(s *links.Step) int { return s.Answers }) }},
	{"trip", types.Any, func(c *filterContext) any { return c.trip() }},
	{"foreign", types.Bool, func(c *filterContext) any { return c.rec.Foreign }},
	{"from", types.Any, func(c *filterContext) any { return c.from() }},
	{"to", types.Any, func(c *filterContext) any { return c.to() }},
	{"from_name", types.String, func(c *filterContext) any { return c.fromName() }},
	{"to_name", types.String, func(c *filterContext) any { return c.toName() }},
	{"payload", types.Any, func(c *filterContext) any { return c.payload() }},
	{"findings", types.Array(types.String), func(c *filterContext) any { return c.findings() }},
	{"header", fields, func(c *filterContext) any { return c.object(0) }},
	{"message", fields, func(c *filterContext) any { return c.object(1) }},
}

// environment returns the type of each name.
func environment() types.Map {
	env := types.Map{}
	for _, l := range lookups {
		env[l.name] = l.is
	}
	return env
}

// Names returns the names that an expression may use.
func Names() (names []string) {
	for _, l := range lookups {
		names = append(names, l.name)
	}
	return names
}

// functions are those that a filter may call.
func functions(c *filterContext) []expr.Option {
	return []expr.Option{
		expr.Function("player", func(a ...any) (any, error) { return c.player(a[0]), c.spend(c.walk()) },
			new(func(int) bool), new(func(string) bool)),
		expr.Function("address", func(a ...any) (any, error) { return c.address(a[0].(string)), c.spend(c.walk()) },
			new(func(string) bool)),
		expr.Function("has", func(a ...any) (any, error) { return has(a[0], a[1].(string)), nil },
			new(func(any, string) bool)),
		expr.Function("text", func(a ...any) (any, error) { return textOf(a[0]), nil }, new(func(any) string)),
		expr.Function("bytes", func(a ...any) (any, error) { return bytesOf(a[0]) }, new(func(any) any)),
	}
}

func (c *filterContext) socket(at netip.AddrPort) any {
	return written(&c.sockets, at, netip.AddrPort.String)
}

func (c *filterContext) ip(at netip.Addr) any { return written(&c.ips, at, netip.Addr.String) }

// written returns an address in writing, and remembers it.
func written[A comparable](known *map[A]any, at A, write func(A) string) any {
	if s, ok := (*known)[at]; ok {
		return s
	}
	if *known == nil || len(*known) >= maxWritten {
		*known = map[A]any{}
	}
	s := any(write(at))
	(*known)[at] = s
	return s
}

// dialect is nil for game messages.
func (c *filterContext) dialect() any {
	if !c.rec.Envelope.System() {
		return nil
	}
	return int(c.rec.Envelope.Version)
}

func (c *filterContext) via() string {
	if c.rec.Via == 0 {
		return ""
	}
	return c.rec.Via.String()
}

// step is a number of what a frame meant for its link, nil where there is nothing to say.
func (c *filterContext) step(of func(*links.Step) int) any {
	if c.rec.Step != nil {
		if n := of(c.rec.Step); n > 0 {
			return n
		}
	}
	return nil
}

// trip is how many seconds an answer took, nil where that is not known.
func (c *filterContext) trip() any {
	if s := c.rec.Step; s != nil && s.Trip > 0 {
		return s.Trip.Seconds()
	}
	return nil
}

// from is the id of the sender, nil where the message names none.
func (c *filterContext) from() any {
	if id, ok := c.rec.Sender(); ok {
		return wireNumber(uint32(id))
	}
	return nil
}

// to is the id of the addressee, nil where the message names none.
func (c *filterContext) to() any {
	if _, id, ok := c.rec.FromTo(); ok {
		return wireNumber(uint32(id))
	}
	return nil
}

func (c *filterContext) fromName() string {
	id, ok := c.rec.Sender()
	if !ok {
		return ""
	}
	return c.rec.Session.PlayerName(id)
}

func (c *filterContext) toName() string {
	_, id, ok := c.rec.FromTo()
	if !ok {
		return ""
	}
	return c.rec.Session.PlayerName(id)
}

// findings returns their codes.
func (c *filterContext) findings() []string {
	codes := make([]string, len(c.rec.Findings))
	for i := range c.rec.Findings {
		codes[i] = string(c.rec.Findings[i].Code)
	}
	return codes
}

// object returns the fields of the header (0) or of the message (1). They are built once a message.
func (c *filterContext) object(which int) any {
	if !c.built {
		c.fields.build(c.rec)
		c.built = true
	}
	if which == 0 {
		return c.fields.header
	}
	return c.fields.message
}
