package filter

import (
	"cmp"
	_ "embed"
	"encoding/hex"
	"math"
	"net/netip"
	"reflect"
	"slices"
	"strings"

	"github.com/expr-lang/expr/checker/nature"
	"github.com/expr-lang/expr/types"
	"github.com/expr-lang/expr/vm/runtime"

	"dplay4/captures"
	"dplay4/captures/links"
	"dplay4/captures/show"
	"dplay4/wire"
)

// A filterContext is the message that a filter looks at.
type filterContext struct {
	rec     *captures.Record
	fields  fieldMaps
	built   bool // fields are those of rec
	counted bool // the expression can loop or build values, so that its work is counted
	work    int  // that is left

	patterns map[string]pattern
	sought   map[string]bool // names that were looked for since the last Absent: a message had them

	addressText   string        // the last argument of address()
	addressWanted wantedAddress // its meaning
}

// begin makes r the message that is looked at.
func (c *filterContext) begin(r *captures.Record) { c.rec, c.built, c.work = r, false, maxWork }

// note records that a name was looked for, and whether the message had it.
func (c *filterContext) note(name string, v any) {
	if found, known := c.sought[name]; !known || v != nil && !found {
		c.sought[name] = v != nil
	}
}

// A lookup puts one value of a message into the environment.
type lookup struct {
	name string
	is   types.Type // Any if the value can be absent
	get  func(c *filterContext) any
}

// lookups are the names that an expression may use.
var lookups = []lookup{
	{"n", types.Int, func(c *filterContext) any { return c.rec.N }},
	{"frames", types.TypeOf([]int{}), func(c *filterContext) any { return c.rec.Frames }},
	{"time", types.String, func(c *filterContext) any { return c.rec.Time.UTC().Format(timeLayout) }},
	{"relative", types.Float64, func(c *filterContext) any { return show.Seconds(c.rec.Since) }},
	{"gap", types.Float64, func(c *filterContext) any { return show.Seconds(c.rec.Gap) }},
	{"transport", types.String, func(c *filterContext) any { return c.rec.Transport.String() }},
	{"src", types.String, func(c *filterContext) any { return c.rec.Src.String() }},
	{"dst", types.String, func(c *filterContext) any { return c.rec.Dst.String() }},
	{"src_ip", types.String, func(c *filterContext) any { return c.rec.Src.Addr().String() }},
	{"dst_ip", types.String, func(c *filterContext) any { return c.rec.Dst.Addr().String() }},
	{"src_port", types.Int, func(c *filterContext) any { return int(c.rec.Src.Port()) }},
	{"dst_port", types.Int, func(c *filterContext) any { return int(c.rec.Dst.Port()) }},
	{"size", types.Int, func(c *filterContext) any { return len(c.rec.Raw) }},
	{"command", types.String, func(c *filterContext) any { return c.rec.Command() }},
	{"dialect", types.Any, func(c *filterContext) any { return number(c.rec.Envelope.Version, c.rec.Envelope.System()) }},
	{"conversation", types.Int, func(c *filterContext) any { return c.rec.Conversation }},
	{"via", types.String, func(c *filterContext) any { return c.via() }},
	{"link", types.Any, func(c *filterContext) any { return positive(c.step().Link.Number) }},
	{"again", types.Any, func(c *filterContext) any { return positive(c.step().Again) }},
	{"missing", types.Any, func(c *filterContext) any { return positive(c.step().Missing) }},
	{"answers", types.Any, func(c *filterContext) any { return positive(c.step().Answers) }},
	{"trip", types.Any, func(c *filterContext) any { return positive(c.step().Trip.Seconds()) }},
	{"foreign", types.Bool, func(c *filterContext) any { return c.rec.Foreign }},
	{"from", types.Any, func(c *filterContext) any { return number(c.rec.Sender()) }},
	{"to", types.Any, func(c *filterContext) any { return number(c.addressee()) }},
	{"from_name", types.String, func(c *filterContext) any { id, _ := c.rec.Sender(); return c.rec.Session.PlayerName(id) }},
	{"to_name", types.String, func(c *filterContext) any { id, _ := c.addressee(); return c.rec.Session.PlayerName(id) }},
	{"payload", types.Any, func(c *filterContext) any { return c.payload() }},
	{"findings", types.TypeOf([]string{}), func(c *filterContext) any { return c.findings() }},
	{"header", object("header"), func(c *filterContext) any { c.build(); return c.fields.header }},
	{"message", object("message"), func(c *filterContext) any { c.build(); return c.fields.message }},
}

// environment has the type of each name.
var environment = func() types.Map {
	env := types.Map{}
	for _, l := range lookups {
		env[l.name] = l.is
	}
	return env
}()

// Names returns the names that an expression may use.
func Names() (names []string) {
	for _, l := range lookups {
		names = append(names, l.name)
	}
	return names
}

// number returns a number off the wire, nil if the message does not have it.
func number[N ~uint32 | ~uint16](n N, ok bool) any {
	if !ok {
		return nil
	}
	return wireNumber(uint32(n))
}

// positive returns a number that is greater than zero, and nil for others.
func positive[N int | float64](n N) any {
	if n <= 0 {
		return nil
	}
	return n
}

func (c *filterContext) via() string {
	if c.rec.Via == 0 {
		return ""
	}
	return c.rec.Via.String()
}

// step returns what the link tracker found about a frame, zeros for other messages.
func (c *filterContext) step() *links.Step { return cmp.Or(c.rec.Step, &noStep) }

var noStep = links.Step{Link: &links.Link{}}

func (c *filterContext) addressee() (wire.PlayerID, bool) {
	_, id, ok := c.rec.FromTo()
	return id, ok
}

// payload returns the game's own octets, nil for other messages.
func (c *filterContext) payload() any {
	var own *wire.PlayerMessage
	switch m := c.rec.Envelope.Message.(type) {
	case *wire.PlayerMessage:
		own = m
	case *wire.PlayerWrapper:
		own = &m.Player
	case *wire.HeaderedPlayerMessage:
		own = &m.Player
	}
	if own == nil || c.rec.Err != nil {
		return nil
	}
	return present(own.Payload)
}

// findings returns their codes.
func (c *filterContext) findings() []string {
	codes := make([]string, len(c.rec.Findings))
	for i := range c.rec.Findings {
		codes[i] = string(c.rec.Findings[i].Code)
	}
	return codes
}

// build fills c.fields, once a message.
func (c *filterContext) build() {
	if !c.built {
		c.fields.build(c.rec)
		c.built = true
	}
}

// fieldMaps hold every field of a message under its key in NDJSON. Numbers and ids are integers, flag words and values with
// a name are *word, octets are octets.
type fieldMaps struct {
	header, message map[string]any
	wantHeader      bool // otherwise the header stays empty

	walker show.Walker
	visit  show.ValueVisitor // take: made once
	open   []container
	skip   bool // the visitor is in a header that is not wanted
}

// A container is an object or list that is being filled, with its key in the container around it.
type container struct {
	key    string
	object map[string]any
	list   []any
}

// A word is a number with names: a flag word, a result, one of a list of values.
type word struct {
	value uint32
	names string // joined by "|"
	flags bool
}

// list returns the names one by one.
func (w *word) list() []string {
	if w.names == "" || w.flags && w.value == 0 {
		return []string{}
	}
	return strings.Split(w.names, "|")
}

// octets are those of a field, which they alias. An expression sees their hexadecimal digits, as in NDJSON.
type octets []byte

func (o octets) String() string { return hex.EncodeToString(o) }

// searchable are octets that bytes() returned: an expression sees the octets themselves.
type searchable []byte

// present returns octets that are not nil, because nil means that there is no such field.
func present(p []byte) octets {
	if p == nil {
		return octets{}
	}
	return p
}

// build fills the maps with the fields of a record, instead of those of the record before.
func (m *fieldMaps) build(r *captures.Record) {
	if m.message == nil {
		m.header, m.message, m.visit = map[string]any{}, map[string]any{}, m.take
	}
	clear(m.header)
	clear(m.message)
	m.walker.Values(r, m.visit)
}

// take adds a value to the maps.
func (m *fieldMaps) take(key string, f *wire.Field) {
	var v any
	switch f.Kind {
	case wire.KindStruct, wire.KindList:
		m.open = append(m.open, m.begin(key, f.Kind))
		return
	case wire.KindEnd:
		last := len(m.open) - 1
		c := m.open[last]
		m.open, m.skip, key, v = m.open[:last], false, c.key, c.object
		if c.object == nil {
			v = c.list
		}
	default:
		if !m.skip {
			v = value(f)
		}
	}
	if len(m.open) == 0 || m.skip {
		return
	}
	top := &m.open[len(m.open)-1]
	if top.object != nil {
		top.object[key] = v
	} else {
		top.list = append(top.list, v)
	}
}

// begin returns the container in which the values of an object or list go.
func (m *fieldMaps) begin(key string, kind wire.Kind) container {
	switch {
	case kind == wire.KindList:
		return container{key: key, list: []any{}}
	case len(m.open) > 0:
		return container{key: key, object: map[string]any{}}
	case key == "header":
		m.skip = !m.wantHeader
		return container{object: m.header}
	}
	return container{object: m.message}
}

func value(f *wire.Field) any {
	switch f.Kind {
	case wire.KindNumber, wire.KindHex, wire.KindID:
		return wireNumber(f.Num)
	case wire.KindFlags, wire.KindHResult, wire.KindNamed:
		return &word{f.Num, f.Names(), f.Kind == wire.KindFlags}
	case wire.KindGUID:
		return wire.GUID(f.Raw).String()
	case wire.KindText:
		return wire.Text(f.Raw).String()
	case wire.KindSockAddr:
		return wire.ParseSockAddr(f.Raw).String()
	}
	return present(f.Raw)
}

// wireNumber returns a number off the wire as an int, as int64 where an int has 32 bits and is too small.
func wireNumber(v uint32) any {
	if uint64(v) > math.MaxInt {
		return int64(v)
	}
	return int(v)
}

//go:embed keys.txt
var keysText string

// objectKeys are the keys that stand in an object, or in the elements of a list, by the object's own key; "message" is the
// message itself, and "*" has keys of other objects. listKeys are the keys of lists, messageKeys all keys. Each list is
// sorted; the keys are those of captures/show/NDJSON.md.
var objectKeys, listKeys, messageKeys = func() (objects map[string][]string, lists map[string]bool, all []string) {
	objects, lists = map[string][]string{}, map[string]bool{}
	name := ""
	for _, key := range strings.Fields(keysText) {
		if object, ok := strings.CutSuffix(key, ":"); ok {
			name = strings.TrimSuffix(object, "[]")
			lists[name] = name != object
			continue
		}
		objects[name] = append(objects[name], key)
		all = append(all, key)
	}
	slices.Sort(all)
	return objects, lists, slices.Compact(all)
}()

// object returns the type of an object. With it, the expression library finds keys that no message has. Keys of which
// nothing is known are of any type.
func object(name string) types.Map {
	m := types.Map{"encoding": types.Any, "stray": types.Any} // which any object may have
	for _, key := range objectKeys[name] {
		m[key] = types.Any
		if key != "message" && objectKeys[key] != nil {
			m[key] = part{object(key), listKeys[key]}
		}
	}
	return m
}

// A part is the type of an object in a message, or of the elements of a list there. Its Go type differs from those that an
// expression makes, because it is a condition: that the message has it.
type part struct {
	types.Type
	list bool
}

type (
	fieldMap  map[string]any
	fieldList []any
)

// Nature implements types.Type.
func (p part) Nature() nature.Nature {
	n := p.Type.Nature()
	n.Type = reflect.TypeFor[fieldMap]()
	if p.list {
		list := types.TypeOf(fieldList{}).Nature()
		list.Ref = &n
		return list
	}
	return n
}

// keyPlace returns an expression with a key at its place in a message; "" if its place is not known.
func keyPlace(key string) string {
	for _, object := range []string{"message", "header", "session_desc", "player_info", "group_info", "reliable_frame", "sec_desc",
		"players", "groups", "shortcuts"} {
		switch {
		case !slices.Contains(objectKeys[object], key):
		case listKeys[object]:
			return "any(message." + object + ", ." + key + " == ...)"
		case object == "message" || object == "header":
			return object + "." + key
		default:
			return "message." + object + "." + key
		}
	}
	return ""
}

// player reports whether the message names a player anywhere: by its id, or by its name, or by the id of a player with
// that name.
func (c *filterContext) player(who any) bool {
	r := c.rec
	name, _ := who.(string)
	id := match(who, 0) // text can be "0x000384c9", as the output has it
	is := func(p wire.PlayerID) bool {
		return runtime.Equal(id, wireNumber(uint32(p))) || name != "" && r.Session.PlayerName(p) == name
	}
	if r.Err == nil && r.Frame == nil { // the usual messages, without going through all fields
		switch msg := r.Envelope.Message.(type) {
		case *wire.PlayerMessage:
			return !msg.NoIDs && (is(msg.From) || is(msg.To))
		case *wire.Ping:
			return is(msg.From)
		case *wire.PingReply:
			return is(msg.From)
		}
	}
	if r.Frame != nil {
		for _, index := range [...]uint16{r.Frame.From, r.Frame.To} {
			if p := r.Session.ByIndex(index); p != nil && is(p.ID) {
				return true
			}
		}
	}
	found := false
	c.fields.walker.Walk(r, func(f *wire.Field) {
		switch {
		case f.Kind == wire.KindID:
			found = found || is(wire.PlayerID(f.Num))
		case f.Kind == wire.KindText && (f.Name == "ShortName" || f.Name == "LongName"):
			found = found || name != "" && wire.Text(f.Raw).String() == name
		}
	})
	return found
}

// address reports whether a message came from or went to an address, or has it in a field. The address is an
// IP address, one with a port, or a network ("10.0.0.0/8").
func (c *filterContext) address(text string) bool {
	if text != c.addressText {
		c.addressText = text
		c.addressWanted, _ = parseAddress(text) // any other text matches nothing; check has refused constants
	}
	want, r := &c.addressWanted, c.rec
	if want.is(r.Src) || want.is(r.Dst) {
		return true
	}
	if _, game := r.Envelope.Message.(*wire.PlayerMessage); game && r.Frame == nil {
		return r.Envelope.HasSP && want.isSocket(r.Envelope.SP.SockAddr) // the only one in it
	}
	found := false
	c.fields.walker.Walk(r, func(f *wire.Field) {
		found = found || f.Kind == wire.KindSockAddr && want.isSocket(wire.ParseSockAddr(f.Raw))
	})
	return found
}

// A wantedAddress is a network, with a port if not zero.
type wantedAddress struct {
	network netip.Prefix
	port    uint16
}

func parseAddress(text string) (wantedAddress, error) {
	if network, err := netip.ParsePrefix(text); err == nil {
		return wantedAddress{network.Masked(), 0}, nil
	}
	at, err := netip.ParseAddrPort(text)
	if err != nil {
		var ip netip.Addr
		ip, err = netip.ParseAddr(text)
		at = netip.AddrPortFrom(ip, 0)
	}
	ip := at.Addr().Unmap()
	return wantedAddress{netip.PrefixFrom(ip, ip.BitLen()), at.Port()}, err
}

func (w *wantedAddress) is(at netip.AddrPort) bool {
	return w.network.Contains(at.Addr().Unmap()) && (w.port == 0 || w.port == at.Port())
}

func (w *wantedAddress) isSocket(a wire.SockAddr) bool {
	return w.is(netip.AddrPortFrom(netip.AddrFrom4(a.Addr), a.Port))
}
