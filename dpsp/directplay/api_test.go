package directplay

import (
	"encoding/binary"
	"fmt"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/dpsp/sock/socktest"
	"dplay4/wire"
)

// apiSection returns a section of compat/facts/api.md, and all its table rows by the name of the column.
func apiSection(t testing.TB, number int) (rows []map[string]string) {
	t.Helper()
	b, err := os.ReadFile("../../compat/facts/api.md")
	require.NoError(t, err)
	_, text, found := strings.Cut(string(b), fmt.Sprintf("\n## %d. ", number))
	require.True(t, found, "api.md has no section %d", number)
	text, _, _ = strings.Cut(text, "\n## ")
	var head []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			head = nil
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case head == nil:
			head = cells
		case !strings.HasPrefix(cells[0], "---"):
			require.Len(t, cells, len(head), line)
			row := map[string]string{}
			for i, name := range head {
				row[name] = cells[i]
			}
			rows = append(rows, row)
		}
	}
	require.NotEmpty(t, rows, "section %d", number)
	return rows
}

// classes are the kinds of entries in api.md.
var classes = regexp.MustCompile(`^(live|constant|given|ignored|refused|unknown)$`)

// bits returns the values that a row is about: its own, or each bit that no row of the method names.
func bits(t testing.TB, row map[string]string, of []map[string]string) (all []uint32) {
	t.Helper()
	if row["value"] != "others" {
		v, err := strconv.ParseUint(row["value"], 0, 32)
		require.NoError(t, err, "%v", row)
		return []uint32{uint32(v)}
	}
	for bit := range 32 {
		named := false
		for _, r := range of {
			v, err := strconv.ParseUint(r["value"], 0, 32)
			named = named || err == nil && v == 1<<bit
		}
		if !named {
			all = append(all, 1<<bit)
		}
	}
	return all
}

// A probe calls a method with flags, and returns its result and whatever a flag may change.
type probe func(flags uint32) (wire.HResult, any)

// outcome is what api.md has in its column "our DLL": what flags do in comparison with no flags.
func (p probe) outcome(flags uint32) string {
	base, before := p(0)
	r, after := p(flags)
	switch {
	case flags == 0 && r == wire.OK:
		return "DP_OK"
	case flags == 0 || r != base && r != wire.OK && r != wire.ErrPending:
		return codeName(r)
	case r == base && assert.ObjectsAreEqual(before, after):
		return "no difference"
	}
	return "acts"
}

// codeName returns the name of a result in the SDK, which has some from elsewhere.
func codeName(r wire.HResult) string {
	if r == wire.OK {
		return "DP_OK"
	}
	return r.Name()
}

// TestAPIFlags tries every flag of every method, and compares with section 2 of api.md what it does.
func TestAPIFlags(t *testing.T) {
	bubble(t, func(t *world) {
		rows := apiSection(t, 2)
		byMethod := map[string][]map[string]string{}
		for _, row := range rows {
			assert.Regexp(t, classes, row["class"], "%v", row)
			for m := range strings.SplitSeq(row["methods"], ", ") {
				byMethod[m] = append(byMethod[m], row)
			}
		}
		probes := newStage(t).probes()
		for _, method := range slices.Sorted(maps.Keys(probes)) {
			p := probes[method]
			require.NotEmpty(t, byMethod[method], "api.md lacks %s", method)
			others := false
			for _, row := range byMethod[method] {
				others = others || row["value"] == "others"
				for _, flags := range bits(t, row, byMethod[method]) {
					assert.Equal(t, row["our DLL"], p.outcome(flags), "%s with %s (%#x)", method, row["flag"], flags)
				}
			}
			assert.True(t, others, "api.md says nothing of other flags of %s", method)
		}
		for method := range byMethod {
			assert.Contains(t, probes, method, "nobody tries what api.md says of it")
		}
	})
}

// A stage is a session of two machines with players and groups of every kind, a third machine outside, and a lobby.
type stage struct {
	t                 *world
	at                []netip.Addr
	h, j              *game // host and joiner
	ann, ben          wire.PlayerID
	group             wire.PlayerID
	launcher, lobbied *Lobby
	application       uint32 // the number of the lobbied one
	searched          string
	opt               Options // of the machine outside
}

func newStage(t *world) *stage {
	at := t.lane(3)
	s := &stage{t: t, at: at, h: hosts(t, at[0], wire.SessionMigrateHost), j: joins(t, at[1], at[0]), searched: at[0].String()}
	s.opt = Options{Config: Config{Bind: at[2]}, Network: t.network}
	s.ann, s.ben = s.h.player("Ann", 0), s.j.player("Ben", 0)
	server, watcher := s.h.player("", FlagServerPlayer), s.j.player("", FlagSpectator)
	s.group = s.h.group(0, 0)
	s.j.sees(server)
	eventually(t, func() bool { var v uint32; return s.j.GetGroupFlags(s.group, &v) == wire.OK }, "the group at the joiner")
	s.h.group(0, FlagHidden)
	staging := s.j.group(0, FlagStagingArea)
	s.h.group(s.group, FlagHidden)
	s.j.group(s.group, FlagStagingArea)
	require.Equal(t, wire.OK, s.j.AddGroupToGroup(s.group, staging))
	for _, id := range []wire.PlayerID{s.ann, s.ben, server, watcher} {
		require.Equal(t, wire.OK, s.j.AddPlayerToGroup(s.group, id))
	}
	nap()
	d := newDesk(t)
	s.launcher = d.process(1)
	var r wire.HResult
	s.application, r = s.launcher.RunApplication(0, testSettings(), nil)
	require.Equal(t, wire.OK, r)
	s.lobbied = d.process(s.application, d.started[0].Environment...)
	return s
}

// outside returns a machine that is in no session. Release ends it.
func (s *stage) outside() *Object {
	o := New(s.opt)
	require.Equal(s.t, wire.OK, o.InitializeConnection(connectionTo(ProviderTCP, &s.searched), 0))
	return o
}

func (s *stage) probes() map[string]probe {
	all := map[string]probe{}
	for _, part := range []map[string]probe{s.connecting(), s.searching(), s.entering(), s.listing(), s.making(), s.data(), s.sending(),
		s.waiting(), s.lobby()} {
		for method, p := range part {
			all[method] = p
		}
	}
	return all
}

// codeOnly is for methods of which flags change the result alone.
func codeOnly(method func(flags uint32) wire.HResult) probe {
	return func(flags uint32) (wire.HResult, any) { return method(flags), nil }
}

func (s *stage) connecting() map[string]probe {
	return map[string]probe{
		"InitializeConnection": codeOnly(func(flags uint32) wire.HResult {
			o := New(s.opt)
			defer o.Release()
			return o.InitializeConnection(connectionTo(ProviderTCP, nil), flags)
		}),
		"EnumConnections": func(flags uint32) (wire.HResult, any) {
			all, r := EnumConnections(flags, true)
			var names []string
			for _, p := range all {
				names = append(names, p.Name)
			}
			return r, names
		},
		"GetCaps": func(flags uint32) (wire.HResult, any) {
			var c Caps
			return s.h.GetCaps(&c, flags), c
		},
		"GetPlayerCaps": func(flags uint32) (wire.HResult, any) {
			var c Caps
			return s.h.GetPlayerCaps(s.ann, &c, flags), c
		},
		"EnumAddressTypes": func(flags uint32) (wire.HResult, any) {
			all, r := EnumAddressTypes(&ProviderTCP, flags, true)
			return r, all
		},
	}
}

func (s *stage) searching() map[string]probe {
	describe := func(d SessionDesc) {
		d.Flags |= wire.SessionMigrateHost
		d.MaxPlayers = 10
		require.Equal(s.t, wire.OK, s.h.SetSessionDesc(&d, 0))
	}
	return map[string]probe{
		"EnumSessions": func(flags uint32) (r wire.HResult, found any) {
			var all []string
			for _, d := range []SessionDesc{{}, {Flags: wire.SessionJoinDisabled}, {Password: some("secret")}} {
				describe(d)
				o, began := s.outside(), time.Now()
				n := 0
				r = o.EnumSessions(&SessionDesc{Application: testGame}, 100, func(d *SessionDesc, _ *uint32) bool {
					if d != nil {
						n++
					}
					return d != nil
				}, flags)
				all = append(all, fmt.Sprint(n, time.Since(began)))
				o.Release()
			}
			describe(SessionDesc{})
			return r, all
		},
		"SetSessionDesc": codeOnly(func(flags uint32) wire.HResult {
			return s.h.SetSessionDesc(&SessionDesc{Flags: wire.SessionMigrateHost, MaxPlayers: 10}, flags)
		}),
	}
}

func (s *stage) entering() map[string]probe {
	enter := func(also uint32, method func(*Object, *SessionDesc, uint32) wire.HResult) probe {
		return codeOnly(func(flags uint32) wire.HResult {
			o := s.outside()
			defer o.Release()
			return method(o, &SessionDesc{Application: testGame, Instance: wire.GUID{9}}, flags|also)
		})
	}
	secure := func(o *Object, d *SessionDesc, flags uint32) wire.HResult { return o.SecureOpen(d, flags, false) }
	return map[string]probe{
		"Open": enter(0, (*Object).Open), "Open to create": enter(OpenCreate, (*Object).Open),
		"SecureOpen": enter(0, secure), "SecureOpen to create": enter(OpenCreate, secure),
	}
}

func (s *stage) listing() map[string]probe {
	listed := func(enumerate func(func(Listed) bool, uint32) wire.HResult) probe {
		return func(flags uint32) (wire.HResult, any) {
			var all []wire.PlayerID
			r := enumerate(func(l Listed) bool { all = append(all, l.ID); return true }, flags)
			return r, fmt.Sprint(all)
		}
	}
	return map[string]probe{
		"EnumPlayers": listed(func(f func(Listed) bool, flags uint32) wire.HResult { return s.h.EnumPlayers(nil, f, flags) }),
		"EnumGroups":  listed(func(f func(Listed) bool, flags uint32) wire.HResult { return s.h.EnumGroups(nil, f, flags) }),
		"EnumGroupPlayers": listed(func(f func(Listed) bool, flags uint32) wire.HResult {
			return s.h.EnumGroupPlayers(s.group, nil, f, flags)
		}),
		"EnumGroupsInGroup": listed(func(f func(Listed) bool, flags uint32) wire.HResult {
			return s.h.EnumGroupsInGroup(s.group, nil, f, flags)
		}),
	}
}

func (s *stage) making() map[string]probe {
	group := func(make func(*wire.PlayerID, Making) wire.HResult) probe {
		return func(flags uint32) (wire.HResult, any) {
			var id wire.PlayerID
			var made uint32
			r := make(&id, Making{Flags: flags})
			if r == wire.OK {
				require.Equal(s.t, wire.OK, s.h.GetGroupFlags(id, &made))
				require.Equal(s.t, wire.OK, s.h.DestroyGroup(id))
			}
			return r, made
		}
	}
	return map[string]probe{
		"CreatePlayer": func(flags uint32) (wire.HResult, any) {
			o := s.outside() // where there is no server player yet
			defer o.Release()
			require.Equal(s.t, wire.OK, o.Open(&SessionDesc{Application: testGame}, OpenCreate))
			var id wire.PlayerID
			var made uint32
			r := o.CreatePlayer(&id, Making{Flags: flags})
			if r == wire.OK {
				require.Equal(s.t, wire.OK, o.GetPlayerFlags(id, &made))
			}
			return r, made
		},
		"CreateGroup":        group(s.h.CreateGroup),
		"CreateGroupInGroup": group(func(id *wire.PlayerID, m Making) wire.HResult { return s.h.CreateGroupInGroup(s.group, id, m) }),
	}
}

// data are the methods about names and data. Each has a player or group of its own, so that nothing is left for the next one.
func (s *stage) data() map[string]probe {
	read := func(get func(b *Buffer) wire.HResult) string {
		b := Buffer{Size: 100}
		require.Equal(s.t, wire.OK, get(&b))
		return string(b.Data)
	}
	of := func(group bool, probe func(id wire.PlayerID, flags uint32) (wire.HResult, any)) probe {
		return func(flags uint32) (wire.HResult, any) {
			if group {
				id := s.h.group(0, 0)
				defer s.h.DestroyGroup(id)
				return probe(id, flags)
			}
			id := s.h.player("", 0)
			defer s.h.DestroyPlayer(id)
			return probe(id, flags)
		}
	}
	all := map[string]probe{}
	for kind, group := range map[string]bool{"Player": false, "Group": true} {
		all["Set"+kind+"Data"] = of(group, func(id wire.PlayerID, flags uint32) (wire.HResult, any) {
			r := s.h.setData(id, group, []byte("data"), 4, flags)
			nap()
			return r, []string{read(func(b *Buffer) wire.HResult { return s.h.getData(id, group, b, 0) }),
				read(func(b *Buffer) wire.HResult { return s.h.getData(id, group, b, GetLocal) }),
				read(func(b *Buffer) wire.HResult { return s.j.getData(id, group, b, 0) })}
		})
		all["Get"+kind+"Data"] = of(group, func(id wire.PlayerID, flags uint32) (wire.HResult, any) {
			require.Equal(s.t, wire.OK, s.h.setData(id, group, []byte("here"), 4, SetLocal))
			b := Buffer{Size: 100}
			r := s.h.getData(id, group, &b, flags)
			return r, b.Data
		})
		all["Set"+kind+"Name"] = of(group, func(id wire.PlayerID, flags uint32) (wire.HResult, any) {
			r := s.h.setName(id, group, &Name{Short: some("Name")}, flags)
			nap()
			return r, []string{read(func(b *Buffer) wire.HResult { return s.h.getName(id, group, b, Face{}) }),
				read(func(b *Buffer) wire.HResult { return s.j.getName(id, group, b, Face{}) })}
		})
	}
	return all
}

// sending are the methods that send. Only a guaranteed message arrives after the network was cut, and completions show whether
// somebody is told.
func (s *stage) sending() map[string]probe {
	const octets = 2
	cut := func(send func(flags uint32) wire.HResult) probe {
		return func(flags uint32) (wire.HResult, any) {
			network := s.t.network.(*socktest.Network)
			s.h.trace()
			s.j.trace()
			network.Cut(s.at[0], s.at[1])
			r := send(flags)
			network.Mend()
			nap()
			told := map[uint32]wire.HResult{}
			s.h.completions(told)
			return r, []any{s.j.trace() != "", len(told)}
		}
	}
	return map[string]probe{
		"Send": cut(func(flags uint32) wire.HResult {
			return s.h.Send(s.ann, s.ben, flags, make([]byte, octets), uint32(octets))
		}),
		"SendEx": cut(func(flags uint32) wire.HResult {
			return s.h.SendEx(Sending{From: s.ann, To: s.ben, Flags: flags, Data: make([]byte, octets), Size: uint32(octets),
				Context: 0xABCD}, nil)
		}),
		"SendChatMessage": cut(func(flags uint32) wire.HResult {
			return s.h.SendChatMessage(s.ann, s.ben, flags, some("xx"))
		}),
	}
}

// waiting are the methods about what waits.
func (s *stage) waiting() map[string]probe {
	return map[string]probe{
		"Receive": func(flags uint32) (wire.HResult, any) {
			o := s.outside()
			defer o.Release()
			for i := range wire.PlayerID(3) {
				o.sink.Put(&Message{From: 10 + i, To: 20 + i, Data: []byte{byte(i)}})
			}
			from, to, b := wire.PlayerID(11), wire.PlayerID(22), Buffer{Size: 10}
			r := o.Receive(&from, &to, flags, &b, Face{})
			left, _ := o.sink.Count(0, 0)
			return r, []any{b.Data, left}
		},
		"GetMessageQueue": func(flags uint32) (wire.HResult, any) {
			s.h.trace()
			require.Equal(s.t, wire.OK, s.j.Send(s.ben, s.ann, SendGuaranteed, []byte("x"), 1))
			nap()
			messages, octets := uint32(0), uint32(0)
			r := s.h.GetMessageQueue(0, 0, flags, &messages, &octets)
			return r, []uint32{messages, octets}
		},
		"CancelMessage":  codeOnly(func(flags uint32) wire.HResult { return s.h.CancelMessage(0, flags) }),
		"CancelPriority": codeOnly(func(flags uint32) wire.HResult { return s.h.CancelPriority(0, 1, flags) }),
	}
}

func (s *stage) lobby() map[string]probe {
	l := s.lobbied
	application := Application{Name: "Other", GUID: wire.GUID{7}, File: "other.exe"}
	return map[string]probe{
		"Connect": codeOnly(func(flags uint32) wire.HResult {
			_, r := newDesk(s.t).process(5).Connect(flags, nil)
			return r
		}),
		"EnumLocalApplications": func(flags uint32) (wire.HResult, any) {
			all, r := l.EnumLocalApplications(flags, true)
			return r, len(all)
		},
		"RunApplication": codeOnly(func(flags uint32) wire.HResult {
			_, r := newDesk(s.t).process(6).RunApplication(flags, testSettings(), nil)
			return r
		}),
		"ReceiveLobbyMessage": codeOnly(func(flags uint32) wire.HResult {
			_, r := l.ReceiveLobbyMessage(flags, 0, &Buffer{})
			return r
		}),
		"SendLobbyMessage": func(flags uint32) (wire.HResult, any) {
			r := l.SendLobbyMessage(flags, 0, []byte{8, 0, 0, 0})
			nap()
			told := []uint32{}
			for {
				flags, r := s.launcher.ReceiveLobbyMessage(0, s.application, &Buffer{Size: 100})
				if r != wire.OK {
					break
				}
				told = append(told, flags)
			}
			return r, told
		},
		"SetConnectionSettings": codeOnly(func(flags uint32) wire.HResult {
			return l.SetConnectionSettings(flags, 0, testSettings())
		}),
		"SetLobbyMessageEvent": codeOnly(func(flags uint32) wire.HResult { return l.SetLobbyMessageEvent(flags, 0, nil) }),
		"RegisterApplication": codeOnly(func(flags uint32) wire.HResult {
			r := l.RegisterApplication(flags, &application)
			l.UnregisterApplication(0, &application.GUID)
			return r
		}),
		"UnregisterApplication": codeOnly(func(flags uint32) wire.HResult {
			require.Equal(s.t, wire.OK, l.RegisterApplication(0, &application))
			defer l.UnregisterApplication(0, &application.GUID)
			return l.UnregisterApplication(flags, &application.GUID)
		}),
		"WaitForConnectionSettings": func(flags uint32) (wire.HResult, any) {
			require.Equal(s.t, wire.OK, l.SetConnectionSettings(0, 0, testSettings()))
			r := l.WaitForConnectionSettings(flags)
			return r, l.own.settings == nil
		},
	}
}

// TestAPISessionFlags tries every flag of a session, and compares with section 3 of api.md what becomes of it.
func TestAPISessionFlags(t *testing.T) {
	bubble(t, func(t *world) {
		rows := apiSection(t, 3)
		at := t.lane(1)[0]
		o := initialized(t, at, at.String())
		became := func(r wire.HResult, flag wire.SessionFlags) string {
			switch {
			case r != wire.OK:
				return codeName(r)
			case o.description().Flags&flag != 0:
				return "set"
			}
			return "not set"
		}
		opened := func(d SessionDesc, flag wire.SessionFlags) string {
			r := became(o.Open(&d, OpenCreate), flag)
			o.Close()
			return r
		}
		for _, row := range rows {
			assert.Regexp(t, classes, row["class"], "%v", row)
			for _, v := range bits(t, row, rows) {
				flag := wire.SessionFlags(v)
				says := func(column, is string) {
					t.Helper()
					assert.Equal(t, row[column], is, "%s: %s (%#x)", row["flag"], column, v)
				}
				says("Open", opened(SessionDesc{Application: testGame, Flags: flag}, flag))
				says("with a password", opened(SessionDesc{Application: testGame, Flags: flag, Password: some("x")}, flag))
				require.Equal(t, wire.OK, o.Open(&SessionDesc{Application: testGame}, OpenCreate))
				says("SetSessionDesc", became(o.SetSessionDesc(&SessionDesc{Flags: flag}, 0), flag))
				require.Equal(t, wire.OK, o.Close())
			}
		}
	})
}

// TestAPICaps compares section 4 of api.md with the flags of DPCAPS: whether they are set always, never or at times.
func TestAPICaps(t *testing.T) {
	bubble(t, func(t *world) {
		var seen []uint32
		see := func(o *Object, players ...wire.PlayerID) {
			var c Caps
			require.Equal(t, wire.OK, o.GetCaps(&c, 0))
			seen = append(seen, c.Flags)
			for _, id := range players {
				require.Equal(t, wire.OK, o.GetPlayerCaps(id, &c, 0))
				seen = append(seen, c.Flags)
			}
		}
		for _, flags := range []wire.SessionFlags{0, wire.SessionKeepAlive | wire.SessionDirectPlayProtocol} {
			at := t.lane(2)
			h := hosts(t, at[0], flags)
			j := initialized(t, at[1], at[0].String())
			see(j.Object)
			j.enter("")
			a, b := h.player("", 0), j.player("", 0)
			j.sees(a)
			see(h.Object, a)
			see(j.Object, a, b)
		}
		rows := apiSection(t, 4)
		for _, row := range rows {
			assert.Regexp(t, classes, row["class"], "%v", row)
			for _, flag := range bits(t, row, rows) {
				n := 0
				for _, c := range seen {
					if c&flag != 0 {
						n++
					}
				}
				is := "at times"
				switch n {
				case 0:
					is = "never"
				case len(seen):
					is = "always"
				}
				assert.Equal(t, row["our DLL"], is, "%s (%#x)", row["flag"], flag)
			}
		}
	})
}

// An apiField is a field of a structure in section 5 of api.md.
type apiField struct {
	row      map[string]string
	at, size int
}

// apiStructures returns the fields of each structure where they are by pointers of a size.
func apiStructures(t testing.TB, pointer int) (fields map[string][]apiField, sizes map[string]int) {
	fields, sizes = map[string][]apiField{}, map[string]int{}
	alone := map[string]int{"DWORD": 4, "HRESULT": 4, "GUID": 16, "pointer": pointer}
	widest := map[string]int{}
	for _, row := range apiSection(t, 5) {
		assert.Regexp(t, classes, row["class"], "%v", row)
		s, kind, count := row["structure"], row["type"], 1
		if name, n, array := strings.Cut(strings.TrimSuffix(kind, "]"), "["); array {
			kind = name
			var err error
			count, err = strconv.Atoi(n)
			require.NoError(t, err, "%v", row)
		}
		size, align := alone[kind], 4
		switch {
		case kind == "char":
			size, align = 1, 1
		case kind == "pointer":
			align = pointer
		case size == 0:
			size, align = sizes[kind], widest[kind]
			require.NotZero(t, size, "a type that is not known: %v", row)
		}
		at := (sizes[s] + align - 1) / align * align
		fields[s] = append(fields[s], apiField{row, at, count * size})
		sizes[s] = at + count*size
		widest[s] = max(widest[s], align)
	}
	for s := range sizes {
		sizes[s] = (sizes[s] + widest[s] - 1) / widest[s] * widest[s]
	}
	return fields, sizes
}

// TestAPILayouts compares the sizes of the structures in section 5 of api.md with ours, by pointers of either size.
func TestAPILayouts(t *testing.T) {
	t.Parallel()
	for _, f := range []Face{{}, {Pointer: 8}} {
		_, sizes := apiStructures(t, f.pointer())
		written := func(m interface{ write(*layout) }) int {
			l := layout{face: f}
			m.write(&l)
			if l.holds {
				l.align()
			}
			return len(l.fixed)
		}
		lobby := func(kind LobbyMessageType) int { return len(LobbyMessage{Type: kind}.Append(nil)) }
		chat := &Chat{}
		ours := map[string]int{
			"DPSESSIONDESC2": written(&SessionDesc{}), "DPNAME": written(&Name{}), "DPCAPS": len((&Caps{}).Block().Data),
			"DPSESSIONDESC": len((&FirstDesc{}).Block(f).Data),
			"DPLCONNECTION": len((&Settings{Session: &SessionDesc{}}).Block(f).Data) - written(&SessionDesc{}),
			"DPLAPPINFO":    len((&Application{}).Block(f).Data) - len(f.Text("")),
			"DPCHAT":        len((&Message{System: chat}).Block(f).Data) - written(chat) - len(f.Text("")),
			"DPMSG_GENERIC": written(&Bare{}), "DPMSG_CREATEPLAYERORGROUP": written(&Created{}),
			"DPMSG_DESTROYPLAYERORGROUP": written(&Destroyed{}), "DPMSG_ADDPLAYERTOGROUP": written(&Membership{}),
			"DPMSG_ADDGROUPTOGROUP": written(&Membership{}), "DPMSG_SETPLAYERORGROUPDATA": written(&DataSet{}),
			"DPMSG_SETPLAYERORGROUPNAME": written(&NameSet{}), "DPMSG_SETSESSIONDESC": written(&DescSet{}),
			"DPMSG_CHAT": written(chat), "DPMSG_SENDCOMPLETE": written(&SendComplete{}),
			"DPLMSG_SYSTEMMESSAGE": lobby(ConnectSucceeded), "DPLMSG_NEWSESSIONHOST": lobby(NewSessionHost),
			"DPLMSG_SETPROPERTY": lobby(SetProperty), "DPLMSG_SETPROPERTYRESPONSE": lobby(SetPropertyResponse),
			"DPLMSG_GETPROPERTY": lobby(GetProperty), "DPLMSG_GETPROPERTYRESPONSE": lobby(GetPropertyResponse),
		}
		for name, size := range ours {
			assert.Equal(t, sizes[name], size, "%s by pointers of %d octets", name, f.pointer())
		}
	}
}

// TestAPIProofs looks for the tests of this package that api.md names.
func TestAPIProofs(t *testing.T) {
	t.Parallel()
	table, err := os.ReadFile("../../compat/facts/api.md")
	require.NoError(t, err)
	files, err := filepath.Glob("*_test.go")
	require.NoError(t, err)
	var code []byte
	for _, f := range files {
		b, err := os.ReadFile(f)
		require.NoError(t, err)
		code = append(code, b...)
	}
	names := regexp.MustCompile(`\bTest[A-Z]\w+`).FindAllString(string(table), -1)
	require.NotEmpty(t, names)
	for _, name := range names {
		assert.Contains(t, string(code), "func "+name+"(", "api.md names a test that is not there")
	}
}

// TestAPILive compares section 5 of api.md with the fields of DPSESSIONDESC2 and DPCAPS that change while a session lasts.
func TestAPILive(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(2)
		h := hosts(t, at[0], wire.SessionMigrateHost)
		j := joins(t, at[1], at[0])
		caps := func() []byte {
			var c Caps
			require.Equal(t, wire.OK, j.GetCaps(&c, 0))
			return c.Block().Data
		}
		before := map[string][]byte{"DPSESSIONDESC2": described(h), "DPCAPS": caps()}
		h.player("", 0)
		d := SessionDesc{Flags: wire.SessionMigrateHost | wire.SessionJoinDisabled, Instance: wire.GUID{1}, Application: wire.GUID{2},
			MaxPlayers: 99, CurrentPlayers: 98, Name: some("new"), Password: some("secret"), Reserved1: 7, Reserved2: 8,
			User: [4]uint32{1, 2, 3, 4}}
		require.Equal(t, wire.OK, h.SetSessionDesc(&d, 0))
		after := map[string][]byte{"DPSESSIONDESC2": described(h)}
		require.Equal(t, wire.OK, h.Close())
		eventually(t, j.sess.Hosting, "the joiner hosts")
		after["DPCAPS"] = caps()
		fields, _ := apiStructures(t, 4)
		for name, was := range before {
			for _, f := range fields[name] {
				is := "constant"
				if !assert.ObjectsAreEqual(was[f.at:f.at+f.size], after[name][f.at:f.at+f.size]) {
					is = "live"
				}
				assert.Equal(t, f.row["our DLL"], is, "%s.%s", name, f.row["field"])
			}
		}
	})
}

// TestAPICapsValues compares section 6 of api.md with DPCAPS before, in and after a session.
func TestAPICapsValues(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(1)[0]
		o := initialized(t, at, at.String())
		fields, _ := apiStructures(t, 4)
		of := map[string]int{}
		for _, f := range fields["DPCAPS"] {
			of[f.row["field"]] = f.at
		}
		compare := func(column string, c Caps, r wire.HResult) {
			t.Helper()
			require.Equal(t, wire.OK, r)
			for _, row := range apiSection(t, 6) {
				require.Contains(t, of, row["field"])
				value := binary.LittleEndian.Uint32(c.Block().Data[of[row["field"]]:])
				assert.Equal(t, row[column], fmt.Sprint(value), "%s: %s", row["field"], column)
			}
		}
		whole := func() {
			t.Helper()
			var c Caps
			r := o.GetCaps(&c, 0)
			compare("GetCaps", c, r)
			r = o.GetCaps(&c, CapsOfGuaranteed)
			compare("guaranteed", c, r)
		}
		whole()
		require.Equal(t, wire.OK, o.Open(&SessionDesc{Application: testGame, MaxPlayers: 3}, OpenCreate))
		whole()
		id := o.player("", 0)
		var c Caps
		r := o.GetPlayerCaps(id, &c, 0)
		compare("GetPlayerCaps", c, r)
		r = o.GetPlayerCaps(id, &c, CapsOfGuaranteed)
		compare("guaranteed player", c, r)
		require.Equal(t, wire.OK, o.Close())
		whole()
	})
}

// TestLocalName: a name of this machine alone holds until the next one for all.
func TestLocalName(t *testing.T) {
	bubble(t, func(t *world) {
		at := t.lane(1)[0]
		h := hosts(t, at, 0)
		id := h.player("Ann", 0)
		for _, c := range []struct {
			name  string
			flags uint32
		}{{"Here", SetLocal}, {"Everywhere", 0}, {"Here again", SetLocal}} {
			require.Equal(t, wire.OK, h.SetPlayerName(id, &Name{Short: some(c.name)}, c.flags))
			b := Buffer{Size: 100}
			require.Equal(t, wire.OK, h.GetPlayerName(id, &b, Face{}))
			assert.Equal(t, c.name+"\x00", string(b.Data[16:]))
		}
	})
}
