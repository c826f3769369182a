package filter

import (
	"cmp"
	_ "embed"
	"encoding/hex"
	"maps"
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

// A lookup puts one value of a message into the environment.
type lookup struct {
	name string
	is   types.Type // Any if the value can be absent
	get  func(f *Filter) any
}

// lookups are the words that an expression may use.
var lookups = []lookup{
	{"n", types.Int, func(f *Filter) any { return f.rec.N }},
	{"frames", types.TypeOf([]int{}), func(f *Filter) any { return f.rec.Frames }},
	{"time", types.String, func(f *Filter) any { return f.rec.Time.UTC().Format(timeLayout) }},
	{"relative", types.Float64, func(f *Filter) any { return show.Seconds(f.rec.Since) }},
	{"gap", types.Float64, func(f *Filter) any { return show.Seconds(f.rec.Gap) }},
	{"transport", types.String, func(f *Filter) any { return f.rec.Transport.String() }},
	{"src", types.String, func(f *Filter) any { return f.rec.Src.String() }},
	{"dst", types.String, func(f *Filter) any { return f.rec.Dst.String() }},
	{"src_ip", types.String, func(f *Filter) any { return f.rec.Src.Addr().String() }},
	{"dst_ip", types.String, func(f *Filter) any { return f.rec.Dst.Addr().String() }},
	{"src_port", types.Int, func(f *Filter) any { return int(f.rec.Src.Port()) }},
	{"dst_port", types.Int, func(f *Filter) any { return int(f.rec.Dst.Port()) }},
	{"size", types.Int, func(f *Filter) any { return len(f.rec.Raw) }},
	{"command", types.String, func(f *Filter) any { return f.rec.Command() }},
	{"dialect", types.Any, func(f *Filter) any { return number(f.rec.Envelope.Version, f.rec.Envelope.System()) }},
	{"conversation", types.Int, func(f *Filter) any { return f.rec.Conversation }},
	{"via", types.String, func(f *Filter) any { return via[f.rec.Via] }},
	{"link", types.Any, func(f *Filter) any { return positive(f.step().Link.Number) }},
	{"again", types.Any, func(f *Filter) any { return positive(f.step().Again) }},
	{"missing", types.Any, func(f *Filter) any { return positive(f.step().Missing) }},
	{"answers", types.Any, func(f *Filter) any { return positive(f.step().Answers) }},
	{"trip", types.Any, func(f *Filter) any { return positive(f.step().Trip.Seconds()) }},
	{"foreign", types.Bool, func(f *Filter) any { return f.rec.Foreign }},
	{"from", types.Any, func(f *Filter) any { return number(f.rec.Sender()) }},
	{"to", types.Any, func(f *Filter) any { return number(f.addressee()) }},
	{"from_name", types.String, func(f *Filter) any { id, _ := f.rec.Sender(); return f.rec.Session.PlayerName(id) }},
	{"to_name", types.String, func(f *Filter) any { id, _ := f.addressee(); return f.rec.Session.PlayerName(id) }},
	{"payload", types.Any, func(f *Filter) any { return f.payload() }},
	{"findings", types.TypeOf([]string{}), func(f *Filter) any { return f.findings() }},
	{"header", object("header"), func(f *Filter) any { return f.field("header") }},
	{"message", object("message"), func(f *Filter) any { return f.field("message") }},
}

// environment has the type of each word.
var environment = func() types.Map {
	env := types.Map{}
	for _, l := range lookups {
		env[l.name] = l.is
	}
	return env
}()

// Names returns the words that an expression may use.
func Names() []string { return slices.Sorted(maps.Keys(environment)) }

var via = map[wire.Command]string{wire.CmdPacket: wire.CmdPacket.String(), wire.CmdPacket2Data: wire.CmdPacket2Data.String()}

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

// step returns what the link tracker found about a frame, zeros for other messages.
func (f *Filter) step() *links.Step { return cmp.Or(f.rec.Step, &links.Step{Link: &links.Link{}}) }

func (f *Filter) addressee() (wire.PlayerID, bool) {
	_, id, ok := f.rec.FromTo()
	return id, ok
}

// payload returns the game's own octets, nil for other messages and for those that do not decode.
func (f *Filter) payload() any {
	if f.rec.Err != nil {
		return nil
	}
	switch m := f.rec.Envelope.Message.(type) {
	case *wire.PlayerMessage:
		return octets(m.Payload)
	case *wire.PlayerWrapper:
		return octets(m.Player.Payload)
	case *wire.HeaderedPlayerMessage:
		return octets(m.Player.Payload)
	}
	return nil
}

// findings returns their codes.
func (f *Filter) findings() []string {
	codes := make([]string, len(f.rec.Findings))
	for i := range f.rec.Findings {
		codes[i] = string(f.rec.Findings[i].Code)
	}
	return codes
}

// field returns the object "header" or "message" of the record, nil if it has none.
func (f *Filter) field(name string) any {
	if f.fields == nil {
		f.fields = f.reader.read(f.rec)
	}
	return f.fields[name]
}

// A reader collects every field of a message under its key in NDJSON. Numbers and ids are integers, flag words and values
// with a name are *word, octets are octets.
type reader struct {
	walker show.Walker
	visit  show.ValueVisitor // take: made once
	open   []container
	all    map[string]any            // what was read last, to fill again
	kept   map[string]map[string]any // its objects
}

// A container is an object (map[string]any) or list ([]any) that is being filled, with its key in the container around it.
type container struct {
	key   string
	value any
}

func newReader() *reader {
	r := &reader{all: map[string]any{}, kept: map[string]map[string]any{"header": {}, "message": {}}}
	r.visit = r.take
	return r
}

// read returns the objects of a record, which are valid until the next read.
func (r *reader) read(rec *captures.Record) map[string]any {
	clear(r.all)
	for _, object := range r.kept {
		clear(object)
	}
	r.open = append(r.open[:0], container{value: r.all})
	r.walker.Values(rec, r.visit)
	return r.all
}

// take adds a value to the innermost container.
func (r *reader) take(key string, f *wire.Field) {
	switch f.Kind {
	case wire.KindStruct:
		object := map[string]any{}
		if len(r.open) == 1 {
			object = r.kept[key]
		}
		r.open = append(r.open, container{key, object})
	case wire.KindList:
		r.open = append(r.open, container{key, []any{}})
	case wire.KindEnd:
		last := r.open[len(r.open)-1]
		r.open = r.open[:len(r.open)-1]
		r.put(last.key, last.value)
	default:
		r.put(key, value(f))
	}
}

func (r *reader) put(key string, v any) {
	switch in := &r.open[len(r.open)-1]; values := in.value.(type) {
	case map[string]any:
		values[key] = v
	case []any:
		in.value = append(values, v)
	}
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

// object returns what a word is in NDJSON.
func (w *word) object() map[string]any {
	switch value := wireNumber(w.value); {
	case w.flags:
		return map[string]any{"value": value, "names": w.list()}
	case w.names != "":
		return map[string]any{"value": value, "name": w.names}
	default:
		return map[string]any{"value": value}
	}
}

// octets are those of a field, which they alias. An expression sees their hexadecimal digits, as in NDJSON.
type octets []byte

func (o octets) String() string { return hex.EncodeToString(o) }

// searchable are octets that bytes() returned: an expression sees the octets themselves.
type searchable []byte

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
	return octets(f.Raw)
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
var objectKeys, listKeys, messageKeys = func() (inside map[string][]string, lists map[string]bool, all []string) {
	inside, lists = map[string][]string{}, map[string]bool{}
	name := ""
	for _, key := range strings.Fields(keysText) {
		if object, ok := strings.CutSuffix(key, ":"); ok {
			name = strings.TrimSuffix(object, "[]")
			lists[name] = name != object
			continue
		}
		inside[name] = append(inside[name], key)
		all = append(all, key)
	}
	slices.Sort(all)
	return inside, lists, slices.Compact(all)
}()

// object returns the type of an object. With it, the expression library finds keys that no message has. Keys of which
// nothing is known are of any type.
func object(name string) types.Map {
	m := types.Map{"encoding": types.Any, "stray": types.Any} // which any object may have
	for _, key := range objectKeys[name] {
		m[key] = types.Any
		if listKeys[key] {
			m[key] = list{object(key)}
		} else if key != "message" && objectKeys[key] != nil {
			m[key] = object(key)
		}
	}
	return m
}

// A list is the type of a list of objects in a message. Its Go type differs from those of the lists that an expression
// makes, because it is a condition: that the message has it.
type list struct{ types.Type }

type objects []any

// Nature implements types.Type.
func (l list) Nature() nature.Nature {
	element, n := l.Type.Nature(), nature.FromType(reflect.TypeFor[objects]())
	n.Ref = &element
	return n
}

// playerNames are the fields that are names of players.
var playerNames = []string{"ShortName", "LongName"}

// player reports whether the message names a player anywhere: by its id, or by its name, or by the id of a player with
// that name.
func (f *Filter) player(who any) (found bool) {
	name, _ := who.(string)
	id := match(who, 0) // text can be "0x000384c9", as the output has it
	isName := func(text string) bool { return name != "" && text == name }
	is := func(p wire.PlayerID) bool {
		return runtime.Equal(id, wireNumber(uint32(p))) || isName(f.rec.Session.PlayerName(p))
	}
	if frame := f.rec.Frame; frame != nil {
		for _, index := range []uint16{frame.From, frame.To} {
			p := f.rec.Session.ByIndex(index)
			found = found || p != nil && is(p.ID)
		}
	}
	f.reader.walker.Walk(f.rec, func(field *wire.Field) {
		switch {
		case found:
		case field.Kind == wire.KindID:
			found = is(wire.PlayerID(field.Num))
		case field.Kind == wire.KindText && slices.Contains(playerNames, field.Name):
			found = isName(wire.Text(field.Raw).String())
		}
	})
	return found
}

// address reports whether a message came from or went to an address, or has it in a field. The address is an
// IP address, one with a port, or a network ("10.0.0.0/8"). Any other text matches nothing; check has refused constants.
func (f *Filter) address(text string) bool {
	is, _ := parseAddress(text)
	found := is(f.rec.Src) || is(f.rec.Dst)
	f.reader.walker.Walk(f.rec, func(field *wire.Field) {
		if field.Kind == wire.KindSockAddr {
			a := wire.ParseSockAddr(field.Raw)
			found = found || is(netip.AddrPortFrom(netip.AddrFrom4(a.Addr), a.Port))
		}
	})
	return found
}

// parseAddress returns a test of whether an address is the one of the text, or in its network.
func parseAddress(text string) (is func(netip.AddrPort) bool, err error) {
	if network, err := netip.ParsePrefix(text); err == nil {
		return func(at netip.AddrPort) bool { return network.Contains(at.Addr().Unmap()) }, nil
	}
	if want, err := netip.ParseAddrPort(text); err == nil {
		return func(at netip.AddrPort) bool {
			return at.Port() == want.Port() && at.Addr().Unmap() == want.Addr().Unmap()
		}, nil
	}
	ip, err := netip.ParseAddr(text)
	return func(at netip.AddrPort) bool { return ip.IsValid() && at.Addr().Unmap() == ip.Unmap() }, err
}
