package main

import (
	"net/netip"
	"time"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/types"

	"dplay4/captures"
	"dplay4/captures/show"
)

// A filterContext is the message that a filter looks at.
type filterContext struct {
	rec    *captures.Record
	start  time.Time
	fields fieldMaps
	built  bool // fields are those of rec
	walker show.Walker

	sockets map[netip.AddrPort]any // written addresses: there are few, and writing one takes long
	ips     map[netip.Addr]any

	addressText   string // what address was asked for last, and what that means
	addressWanted wantedAddress
}

// maxWritten bounds the addresses kept in writing.
const maxWritten = 4096

// begin makes r the message that is looked at.
func (c *filterContext) begin(r *captures.Record) { c.rec, c.built = r, false }

// lookups are the names of the environment. Their types are in environment.
var lookups = []lookup{
	{"n", func(c *filterContext) any { return c.rec.N }},
	{"frames", func(c *filterContext) any { return c.rec.Frames }},
	{"time", func(c *filterContext) any { return c.rec.Time.Sub(c.start).Seconds() }},
	{"transport", func(c *filterContext) any { return c.rec.Transport.String() }},
	{"src", func(c *filterContext) any { return c.socket(c.rec.Src) }},
	{"dst", func(c *filterContext) any { return c.socket(c.rec.Dst) }},
	{"src_ip", func(c *filterContext) any { return c.ip(c.rec.Src.Addr()) }},
	{"dst_ip", func(c *filterContext) any { return c.ip(c.rec.Dst.Addr()) }},
	{"src_port", func(c *filterContext) any { return int(c.rec.Src.Port()) }},
	{"dst_port", func(c *filterContext) any { return int(c.rec.Dst.Port()) }},
	{"size", func(c *filterContext) any { return len(c.rec.Raw) }},
	{"command", func(c *filterContext) any { return c.rec.Command() }},
	{"dialect", func(c *filterContext) any { return c.dialect() }},
	{"conversation", func(c *filterContext) any { return c.rec.Conversation }},
	{"via", func(c *filterContext) any { return c.via() }},
	{"from", func(c *filterContext) any { return c.from() }},
	{"to", func(c *filterContext) any { return c.to() }},
	{"from_name", func(c *filterContext) any { return c.fromName() }},
	{"to_name", func(c *filterContext) any { return c.toName() }},
	{"findings", func(c *filterContext) any { return c.findings() }},
	{"header", func(c *filterContext) any { return c.object(0) }},
	{"message", func(c *filterContext) any { return c.object(1) }},
}

// environment gives the type of each name, so that wrong comparisons are found before the first message. Those
// that can be absent have any type.
func environment() types.Map {
	fields := types.Map{types.Extra: types.Any}
	return types.Map{
		"n": types.Int, "frames": types.Array(types.Int), "time": types.Float64, "transport": types.String,
		"src": types.String, "dst": types.String, "src_ip": types.String, "dst_ip": types.String,
		"src_port": types.Int, "dst_port": types.Int, "size": types.Int, "command": types.String, "dialect": types.Any,
		"conversation": types.Int, "via": types.String, "from": types.Any, "to": types.Any,
		"from_name": types.String, "to_name": types.String, "findings": types.Array(types.String),
		"header": fields, "message": fields,
	}
}

// functions are those that a filter may call.
func functions(c *filterContext) []expr.Option {
	return []expr.Option{
		expr.Function("player", func(a ...any) (any, error) { return c.player(a[0]), nil },
			new(func(int) bool), new(func(string) bool)),
		expr.Function("address", func(a ...any) (any, error) { return c.address(a[0].(string)), nil },
			new(func(string) bool)),
		expr.Function("has", func(a ...any) (any, error) { return has(a[0], a[1].(string)), nil },
			new(func(any, string) bool)),
	}
}

func (c *filterContext) socket(at netip.AddrPort) any {
	return written(&c.sockets, at, netip.AddrPort.String)
}

func (c *filterContext) ip(at netip.Addr) any { return written(&c.ips, at, netip.Addr.String) }

// written gives an address in writing, and remembers it.
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
	if !c.rec.Envelope.System {
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

// from is the id of the sender, nil where the message names none.
func (c *filterContext) from() any {
	if id, ok := show.Sender(c.rec); ok {
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
	id, ok := show.Sender(c.rec)
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

// findings gives their codes.
func (c *filterContext) findings() []string {
	codes := make([]string, len(c.rec.Findings))
	for i := range c.rec.Findings {
		codes[i] = string(c.rec.Findings[i].Code)
	}
	return codes
}

// object gives the fields of the header (0) or of the message (1). They are built once a message.
func (c *filterContext) object(which int) any {
	if !c.built {
		c.fields.build(&c.walker, c.rec)
		c.built = true
	}
	if which == 0 {
		return c.fields.header
	}
	return c.fields.message
}
