package dplay4_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// module is the path in go.mod.
const module = "dplay4"

// A row says what one folder may import. Folders below it belong to it unless they have a row of their own.
type row struct {
	folder  string
	floor   int      // test files may import everything up to their own floor
	may     []string // the rows of this module that it may import besides its own
	only    []string // if not nil: the only packages of the standard library it may import
	not     []string // packages of the standard library, with what is below them, that it may not import
	but     []string // exceptions to not
	modules []string // modules of others that it may import
	tests   []string // modules of others that its test files alone may import, besides testModules
	alive   bool     // it may read the clock, open sockets and use global randomness
	cgo     bool     // it may use cgo
}

// pure is what a package without input and output has no use for. Package syscall and unsafe would let the
// others in by the back door.
var pure = []string{"net", "os", "syscall", "unsafe", "sync"}

// house is the table of imports. It goes down only, and there is no edge that is not in it.
var house = []row{
	{folder: "cmd", floor: 5, alive: true,
		may: []string{"wire", "pingtimer", "playerlist", "hostmigrate", "dpsp", "dpsp/games", "dpsp/sock", "internal/sim",
			"internal/processor", "captures", "compat", "cmd/dplay/internal/recorder", "dpsp/recording", "dpsp/directplay", "dpsp/directplay/config",
			"dpsp/directplay/local", "dpsp/bridge", "dpsp/bridge/code", "dpsp/bridge/link",
			"dpsp/bridge/local", "dpsp/bridge/relay"},
		modules: []string{"github.com/spf13/cobra", "github.com/spf13/pflag", "github.com/expr-lang/expr",
			"github.com/schollz/progressbar/v3", "golang.org/x/term", "github.com/klauspost/compress",
			"charm.land/bubbletea/v2", "github.com/charmbracelet/x/ansi", // the table of "sessions --watch"
			"github.com/pelletier/go-toml/v2",        // the user's own games
			"github.com/pion/stun/v4",                // behind which kind of router are we? package link has it in any case
			"golang.org/x/sys/windows",               // colours on a Windows console
			"golang.org/x/net/netutil",               // how many visitors "sessions --serve" has at once
			"golang.org/x/sys/unix",                  // the filter of the packets that "doctor --live" watches
			"github.com/inconshreveable/mousetrap"}}, // was it double-clicked? cobra has it in any case
	{folder: "cmd/dplayx", floor: 5, alive: true, cgo: true, // the drop-in DLL: games call C
		may:     []string{"wire", "dpsp", "dpsp/sock", "dpsp/directplay", "dpsp/directplay/local", "dpsp/directplay/config"},
		modules: []string{"golang.org/x/sys/windows"}}, // where the DLL is
	{folder: "cmd/dplay/internal/recorder", floor: 4, alive: true, // "dplay record"
		may: []string{"wire", "dpsp", "dpsp/games", "captures", "internal/madeup"},
		modules: []string{"github.com/google/gopacket", // pcapgo's raw sockets and files
			"golang.org/x/net/bpf",       // the filter that the kernel runs
			"golang.org/x/sys/windows"}}, // whether we are an administrator
	{folder: "compat", floor: 4, alive: true,
		may:     []string{"wire", "pingtimer", "playerlist", "hostmigrate", "dpsp", "dpsp/sock", "captures"},
		modules: []string{"github.com/google/gopacket"}},
	{folder: "compat/browser", floor: 4, alive: true, // tests in Chromium, no code
		may:     []string{"wire", "captures", "compat"},
		modules: []string{"github.com/chromedp/chromedp", "github.com/chromedp/cdproto"}},
	{folder: "captures", floor: 4,
		may:     []string{"wire", "playerlist", "hostmigrate", "dpsp", "dpsp/recording"},
		modules: []string{"github.com/google/gopacket", "github.com/klauspost/compress"}},
	{folder: "dpsp/sock", floor: 3, alive: true,
		may: []string{"wire", "pingtimer", "playerlist", "hostmigrate", "dpsp", "dpsp/reliable"},
		modules: []string{
			"golang.org/x/sys/unix",    // what a connection's peer has acknowledged, and whether datagrams wait, on Linux
			"golang.org/x/sys/windows", // the network adapters, where package net cannot list them
			"golang.org/x/net/ipv4",    // many datagrams in one call of the system, on Linux
			"golang.org/x/net/bpf"}},   // which datagrams the system drops for us, on Linux
	{folder: "dpsp/directplay", floor: 4, // what a game sees: the object and the lobby of the drop-in DLL
		may: []string{"wire", "playerlist", "dpsp", "dpsp/games", "dpsp/sock", "dpsp/reliable"}},
	{folder: "dpsp/directplay/local", floor: 4, alive: true, // the programs and the registry of the machine that a lobby runs on
		may:     []string{"wire", "dpsp/directplay"},
		modules: []string{"golang.org/x/sys/windows"}},
	{folder: "dpsp/directplay/config", floor: 4, alive: true, // dplayx.toml: files and the environment
		may:     []string{"wire", "dpsp", "dpsp/sock", "dpsp/recording", "dpsp/directplay"},
		modules: []string{"github.com/pelletier/go-toml/v2"}},
	{folder: "dpsp/recording", floor: 4, may: []string{"dpsp"}, // a session as a pcapng file; its tests read it with captures
		tests: []string{"github.com/google/gopacket"}},
	{folder: "dpsp/bridge", floor: 4, alive: true, // play over the internet: what holds the parts below together
		may: []string{"wire", "dpsp", "dpsp/sock", "dpsp/bridge/code", "dpsp/bridge/plan", "dpsp/bridge/filter", "dpsp/bridge/link",
			"dpsp/bridge/local"}},
	{folder: "dpsp/bridge/code", floor: 2, not: pure, but: []string{"net/netip"}}, // what players tell each other
	{folder: "dpsp/bridge/plan", floor: 3, not: pure, but: []string{"net/netip"}, // slots and roster
		may: []string{"wire", "dpsp/bridge/code"}},
	{folder: "dpsp/bridge/filter", floor: 3, not: pure, but: []string{"net/netip"}, // what may reach the game
		may: []string{"wire", "dpsp/bridge/plan"}},
	{folder: "dpsp/bridge/turnstream", floor: 2, not: pure}, // packets in a stream, for client and server
	{folder: "dpsp/bridge/link", floor: 4, alive: true, // ICE, TURN and QUIC
		may: []string{"dpsp/sock", "dpsp/bridge/code", "dpsp/bridge/turnstream"},
		modules: []string{"github.com/pion/ice/v4", "github.com/pion/turn/v5", "github.com/pion/stun/v4",
			"github.com/pion/logging", "github.com/pion/transport/v4", "github.com/quic-go/quic-go", "golang.org/x/time/rate"}},
	{folder: "dpsp/bridge/local", floor: 4, alive: true, // the sockets that stand for other machines
		may:     []string{"wire", "dpsp", "dpsp/sock", "dpsp/bridge/plan", "dpsp/bridge/filter", "dpsp/bridge/link"},
		modules: []string{"golang.org/x/sys/unix", "golang.org/x/sys/windows"}},
	{folder: "dpsp/bridge/relay", floor: 4, alive: true, // a TURN server
		may:     []string{"dpsp/sock", "dpsp/bridge/code", "dpsp/bridge/turnstream"},
		modules: []string{"github.com/pion/turn/v5", "github.com/pion/stun/v4", "github.com/pion/logging", "golang.org/x/time/rate"}},
	{folder: "dpsp/bridge/relay/relaytest", floor: 4, // what tests share: files, and a DNS server
		modules: []string{"golang.org/x/net/dns/dnsmessage"}},
	{folder: "dpsp/games", floor: 1, not: pure, may: []string{"wire"}}, // a table of games, for programs
	{folder: "dpsp", floor: 3, not: pure, but: []string{"net/netip"}, // addresses are data
		may: []string{"wire", "pingtimer", "playerlist", "hostmigrate", "dpsp/reliable", "dpsp/internal/admit", "dpsp/internal/arrived", "dpsp/internal/fragment", "dpsp/internal/frame", "dpsp/internal/share"}},
	{folder: "dpsp/internal", floor: 2, not: pure}, // parts of the engine cannot reach it: each has a row of its own
	{folder: "dpsp/internal/admit", floor: 2, not: pure, but: []string{"net/netip"}, may: []string{"wire", "playerlist"}},
	{folder: "dpsp/internal/arrived", floor: 2, not: pure, but: []string{"net/netip"}}, // messages that are sent again
	{folder: "dpsp/internal/fragment", floor: 2, not: pure, but: []string{"net/netip"}, may: []string{"wire"}},
	{folder: "dpsp/internal/frame", floor: 3, not: pure, but: []string{"net/netip"}, may: []string{"wire", "playerlist", "dpsp/reliable"}},
	{folder: "dpsp/internal/share", floor: 2, not: pure, but: []string{"net/netip"}, may: []string{"wire", "playerlist"}},
	{folder: "dpsp/reliable", floor: 3, not: pure, may: []string{"wire"}},
	{folder: "internal/sim", floor: 3, not: pure, but: []string{"net/netip"}, // the network is made up
		may: []string{"wire", "pingtimer", "playerlist", "hostmigrate", "dpsp"}},
	{folder: "internal/sim/mutants", floor: 4, alive: true, // what the simulator notices: builds and runs programs
		may: []string{"internal/sim", "internal/processor"}},
	{folder: "internal/processor", floor: 0, alive: true}, // the processor time of this process
	{folder: "internal/testkit", floor: 0, alive: true},   // the deadline of all tests, and addresses of their own

	{folder: "internal/madeup", floor: 1, may: []string{"wire"}, // captures for tests
		modules: []string{"github.com/google/gopacket"}},
	{folder: "hostmigrate", floor: 2, not: pure, may: []string{"wire", "playerlist"}},
	{folder: "playerlist", floor: 1, not: pure, may: []string{"wire"}},
	{folder: "pingtimer", floor: 1, only: []string{"time"}},
	{folder: "wire/internal/wiretest", floor: 0, may: []string{"wire"}}, // what its tests share: files and reflection
	{folder: "wire", floor: 0, not: append([]string{"time", "reflect"}, pure...)},
	{folder: ".", floor: 0}, // this test; the module's root holds no code
}

// testModules may be imported by every test file.
var testModules = []string{"github.com/stretchr/testify"}

// clock are the functions of package time that tell or wait for the time of day.
var clock = []string{"Now", "Since", "Until", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick"}

// seeded are the names of math/rand and math/rand/v2 that leave the seed to the caller. All others draw from
// the global generator.
var seeded = []string{"New", "NewSource", "NewZipf", "NewPCG", "NewChaCha8", "Rand", "Source", "Source64",
	"Zipf", "PCG", "ChaCha8"}

// rowOf returns the row of a folder, nil if it has none.
func rowOf(folder string) *row {
	var best *row
	for i := range house {
		r := &house[i]
		under := folder == r.folder || r.folder != "." && strings.HasPrefix(folder, r.folder+"/")
		if under && (best == nil || len(r.folder) > len(best.folder)) {
			best = r
		}
	}
	return best
}

// refuseImport returns the reason for which a file in the folder may not import the package, "" if it may.
func refuseImport(folder string, test bool, pkg string) string {
	r := rowOf(folder)
	switch {
	case r == nil:
		return "the folder has no row in the table"
	case pkg == "C":
		if r.cgo {
			return ""
		}
		return "cgo: the program is built without"
	case pkg == module || strings.HasPrefix(pkg, module+"/"):
		return r.refuseOwn(strings.TrimPrefix(strings.TrimPrefix(pkg, module), "/"), test)
	case strings.Contains(strings.SplitN(pkg, "/", 2)[0], "."):
		if within(pkg, r.modules) || test && (within(pkg, testModules) || within(pkg, r.tests)) {
			return ""
		}
		return "a module that the table does not allow here"
	}
	return r.refuseStd(pkg, test)
}

// refuseOwn judges the import of a package of this module.
func (r *row) refuseOwn(folder string, test bool) string {
	to := rowOf(folder)
	switch {
	case to == nil:
		return "a folder that has no row in the table"
	case to == r, slices.Contains(r.may, to.folder), test && to.floor <= r.floor:
		return ""
	}
	return fmt.Sprintf("%s (floor %d) may not import %s (floor %d)", r.folder, r.floor, to.folder, to.floor)
}

// refuseStd judges the import of a package of the standard library. Tests read files and look into values,
// but open sockets only where the package does.
func (r *row) refuseStd(pkg string, test bool) string {
	switch {
	case within(pkg, r.but):
		return ""
	case test && !within(pkg, []string{"net"}):
		return ""
	case r.only != nil && !slices.Contains(r.only, pkg):
		return fmt.Sprintf("%s may import nothing but %s", r.folder, strings.Join(r.only, ", "))
	case within(pkg, r.not):
		return r.folder + " may not import it"
	case !test && !r.alive && pkg == "crypto/rand":
		return "global randomness: take a seed"
	}
	return ""
}

// refuseUse returns the reason for which a file in the folder may not use a name of a package, "" if it may.
func refuseUse(folder string, test bool, pkg, name string) string {
	if pkg == "time" && name == "Sleep" {
		return "sleeping makes tests slow and hides races: wait for what is waited for"
	}
	r := rowOf(folder)
	if test || r == nil {
		return ""
	}
	if r.folder == "cmd" && pkg == "net" && slices.Contains([]string{"ListenUDP", "DialUDP", "ListenPacket"}, name) {
		return "Wine 10 has none: use sock.OpenDatagrams or sock.DialDatagrams"
	}
	if r.alive {
		return ""
	}
	switch {
	case pkg == "time" && slices.Contains(clock, name):
		return "reads the clock: take the time as an argument"
	case (pkg == "math/rand" || pkg == "math/rand/v2") && !slices.Contains(seeded, name):
		return "global randomness: take a seed"
	case pkg == "net" && (strings.HasPrefix(name, "Dial") || strings.HasPrefix(name, "Listen") ||
		strings.HasPrefix(name, "Lookup") || strings.HasPrefix(name, "Resolve")):
		return "opens sockets: that is for dpsp/sock"
	}
	return ""
}

// within reports whether a package is one of the list or below one.
func within(pkg string, list []string) bool {
	return slices.ContainsFunc(list, func(l string) bool { return pkg == l || strings.HasPrefix(pkg, l+"/") })
}

// refuse reads all Go files below root and gives what is wrong with them, in order of the files.
func refuse(root string) ([]string, error) {
	var wrong []string
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		if d.IsDir() {
			if name != root && (base == "testdata" || base == "vendor" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(base, ".go") {
			return nil
		}
		file, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		w, err := refuseFile(name, filepath.ToSlash(file))
		wrong = append(wrong, w...)
		return err
	})
	return wrong, err
}

// refuseFile judges one file. file is its name below the module's root.
func refuseFile(name, file string) ([]string, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	folder, test := path.Dir(file), strings.HasSuffix(file, "_test.go")
	var wrong []string
	add := func(pos token.Pos, what, reason string) {
		if reason != "" {
			wrong = append(wrong, fmt.Sprintf("%s:%d: %s: %s", file, set.Position(pos).Line, what, reason))
		}
	}
	imported := map[string]string{} // by the name in this file
	for _, i := range tree.Imports {
		pkg, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return wrong, err
		}
		add(i.Pos(), "imports "+pkg, refuseImport(folder, test, pkg))
		local := path.Base(strings.TrimSuffix(pkg, "/v2"))
		if i.Name != nil {
			local = i.Name.Name
		}
		if local == "." {
			add(i.Pos(), "imports "+pkg, "with a dot, which hides whose names it uses")
		}
		imported[local] = pkg
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && imported[x.Name] != "" {
				add(s.Pos(), "uses "+x.Name+"."+s.Sel.Name, refuseUse(folder, test, imported[x.Name], s.Sel.Name))
			}
		}
		return true
	})
	return wrong, nil
}

// TestLayers reads every import of the module, and every use of the clock, of sockets and of global randomness.
func TestLayers(t *testing.T) {
	wrong, err := refuse(".")
	require.NoError(t, err)
	for _, w := range wrong {
		t.Error(w)
	}
}

// TestHouseGoesDown checks the table itself: no folder may import one on a higher floor, or itself again.
func TestHouseGoesDown(t *testing.T) {
	for _, r := range house {
		for _, to := range r.may {
			q := rowOf(to)
			if assert.NotNil(t, q, "%s may import %s, which has no row", r.folder, to) {
				assert.Equal(t, to, q.folder, "%s may import %s, which has no row", r.folder, to)
				assert.LessOrEqual(t, q.floor, r.floor, "%s may import %s", r.folder, to)
				assert.NotContains(t, q.may, r.folder, "%s and %s may import each other", r.folder, to)
			}
		}
	}
}

// ok stands in the tables below for an edge that is allowed; otherwise the reason must hold the words.
const ok = ""

// edges are made-up imports.
var edges = []struct{ file, pkg, want string }{
	{"wire/ping.go", "encoding/binary", ok},
	{"wire/ping.go", "time", "may not import"},
	{"wire/ping.go", "net", "may not import"},
	{"wire/ping.go", "net/netip", "may not import"},
	{"wire/ping.go", "os", "may not import"},
	{"wire/ping.go", "os/exec", "may not import"},
	{"wire/ping.go", "reflect", "may not import"},
	{"wire/ping.go", "sync/atomic", "may not import"},
	{"wire/ping.go", "unsafe", "may not import"},
	{"wire/ping.go", "C", "cgo"},
	{"wire/ping.go", "dplay4/playerlist", "floor 1"},
	{"wire/ping.go", "dplay4/wire/reliable", ok},
	{"wire/ping.go", "github.com/stretchr/testify/assert", "module"},
	{"wire/ping_test.go", "github.com/stretchr/testify/assert", ok},
	{"wire/ping_test.go", "github.com/google/gopacket", "module"},
	{"wire/ping_test.go", "os", ok},
	{"wire/ping_test.go", "time", ok},
	{"wire/ping_test.go", "net", "may not import"},
	{"wire/ping_test.go", "dplay4/wire", ok},
	{"wire/ping_test.go", "dplay4/captures", "floor 4"},
	{"wire/reliable/frame.go", "dplay4/wire", ok},
	{"wire/reliable/frame.go", "time", "may not import"},
	{"pingtimer/timer.go", "time", ok},
	{"pingtimer/timer.go", "errors", "nothing but time"},
	{"pingtimer/timer.go", "dplay4/wire", "floor 0"},
	{"pingtimer/timer_test.go", "dplay4/wire", ok},
	{"pingtimer/timer_test.go", "testing", ok},
	{"playerlist/list.go", "dplay4/wire", ok},
	{"playerlist/list.go", "dplay4/pingtimer", "floor 1"},
	{"playerlist/list.go", "dplay4/hostmigrate", "floor 2"},
	{"playerlist/list.go", "net/netip", "may not import"},
	{"hostmigrate/object/owner.go", "dplay4/playerlist", ok},
	{"hostmigrate/object/owner.go", "dplay4/dpsp", "floor 3"},
	{"hostmigrate/elect.go", "crypto/rand", "seed"},
	{"dpsp/engine.go", "dplay4/hostmigrate/object", ok},
	{"dpsp/engine.go", "dplay4/dpsp/internal/frame", ok},
	{"dpsp/internal/frame/links.go", "dplay4/dpsp", "floor 3"}, // no part can reach the engine
	{"dpsp/internal/frame/links.go", "dplay4/dpsp/internal/fragment", "floor 2"},
	{"dpsp/internal/fragment/sender.go", "dplay4/dpsp", "floor 3"},
	{"dpsp/internal/fragment/sender.go", "dplay4/playerlist", "floor 1"},
	{"dpsp/internal/hold/hold.go", "dplay4/dpsp", "floor 3"}, // with or without a row of its own
	{"dpsp/engine.go", "net/netip", ok},
	{"dpsp/engine.go", "net", "may not import"},
	{"dpsp/engine.go", "net/http", "may not import"},
	{"dpsp/engine.go", "sync", "may not import"},
	{"dpsp/engine.go", "dplay4/dpsp/sock", "dpsp/sock"},
	{"dpsp/engine.go", "dplay4/dpsp/directplay", "floor 4"},
	{"dpsp/directplay/open.go", "dplay4/dpsp/sock", ok},
	{"dpsp/directplay/open.go", "time", ok},
	{"dpsp/directplay/open.go", "C", "cgo"},
	{"dpsp/engine_test.go", "dplay4/internal/sim", ok},
	{"dpsp/engine.go", "dplay4/internal/sim", "floor 3"},
	{"internal/sim/net.go", "dplay4/dpsp", ok},
	{"internal/sim/net.go", "dplay4/dpsp/sock", "dpsp/sock"},
	{"internal/sim/net.go", "net", "may not import"},
	{"internal/madeup/network.go", "github.com/google/gopacket/layers", ok},
	{"internal/madeup/network.go", "dplay4/captures", "floor 4"},
	{"captures/read_test.go", "dplay4/internal/madeup", ok},
	{"captures/read.go", "dplay4/internal/madeup", "may not import"},
	{"dpsp/sock/sock.go", "net", ok},
	{"dpsp/sock/sock.go", "dplay4/captures", "floor 4"},
	{"dpsp/directplay/config/files.go", "dplay4/dpsp/recording", ok},
	{"dpsp/directplay/config/files.go", "dplay4/captures", "may not import"},
	{"dpsp/directplay/config/config_test.go", "dplay4/captures", ok},
	{"dpsp/recording/writer.go", "dplay4/captures", "may not import"},
	{"dpsp/recording/writer.go", "github.com/google/gopacket", "module"}, // a game's process holds no more than it needs
	{"dpsp/recording/writer_test.go", "github.com/google/gopacket", ok},
	{"captures/read.go", "github.com/google/gopacket/layers", ok},
	{"captures/read.go", "github.com/google/gopacketeer", "module"},
	{"captures/internal/link/link.go", "github.com/klauspost/compress/zstd", ok},
	{"captures/read.go", "github.com/spf13/cobra", "module"},
	{"captures/read.go", "dplay4/dpsp", ok},
	{"captures/read.go", "dplay4/dpsp/sock", "dpsp/sock"},
	{"captures/read.go", "dplay4/pingtimer", "floor 1"},
	{"captures/read.go", "dplay4/cmd/dplay", "floor 5"},
	{"compat/tshark.go", "dplay4/captures", ok},
	{"compat/tshark.go", "dplay4/cmd/dplay", "floor 5"},
	{"compat/tshark_test.go", "dplay4/cmd/dplay", "floor 5"},
	{"compat/tshark.go", "github.com/stretchr/testify/require", "module"},
	{"cmd/dplay/main.go", "github.com/spf13/cobra", ok},
	{"cmd/dplay/main.go", "github.com/google/gopacket", "module"},
	{"cmd/dplay/main.go", "golang.org/x/sys/windows", ok},
	{"cmd/dplay/main.go", "golang.org/x/sys/cpu", "module"},
	{"wire/ping.go", "golang.org/x/sys/windows", "module"},
	{"cmd/dplay/main.go", "dplay4/compat", ok},
	{"cmd/dplay/main.go", "C", "cgo"},
	{"cmd/dplayx/work.go", "C", ok},
	{"cmd/dplayx/objects.go", "dplay4/dpsp/directplay", ok},
	{"cmd/dplayx/objects.go", "dplay4/cmd/dplay", "floor 5"},
	{"cmd/dplay/main.go", "dplay4/util", "no row"},
	{"util/strings.go", "strings", "no row"},
	{"doc.go", "dplay4/wire", "floor 0"},
}

// uses are made-up uses of a package's names.
var uses = []struct{ file, pkg, name, want string }{
	{"captures/read.go", "time", "Now", "clock"},
	{"captures/read.go", "time", "Since", "clock"},
	{"captures/read.go", "time", "Unix", ok},
	{"captures/read.go", "net", "Listen", "sockets"},
	{"captures/read.go", "net", "IP", ok},
	{"cmd/dplay/record.go", "net", "DialUDP", "Wine"},
	{"cmd/dplay/record.go", "net", "ListenTCP", ok},
	{"cmd/dplay/record_test.go", "net", "ListenUDP", ok},
	{"captures/read_test.go", "time", "Now", ok},
	{"captures/read_test.go", "time", "Sleep", "waited for"},
	{"dpsp/engine.go", "time", "NewTimer", "clock"},
	{"dpsp/engine.go", "math/rand/v2", "Uint32", "seed"},
	{"dpsp/engine.go", "math/rand/v2", "NewChaCha8", ok},
	{"dpsp/engine.go", "math/rand", "Intn", "seed"},
	{"dpsp/sock/sock.go", "time", "Now", ok},
	{"dpsp/sock/sock.go", "time", "Sleep", "waited for"},
	{"cmd/dplay/main.go", "time", "Now", ok},
	{"cmd/dplay/main.go", "time", "Sleep", "waited for"},
	{"compat/attack/main.go", "math/rand/v2", "IntN", ok},
}

// TestLayersRefuses holds the table against made-up edges.
func TestLayersRefuses(t *testing.T) {
	for _, c := range edges {
		got := refuseImport(path.Dir(c.file), strings.HasSuffix(c.file, "_test.go"), c.pkg)
		judge(t, c.file+" imports "+c.pkg, c.want, got)
	}
	for _, c := range uses {
		got := refuseUse(path.Dir(c.file), strings.HasSuffix(c.file, "_test.go"), c.pkg, c.name)
		judge(t, c.file+" uses "+c.pkg+"."+c.name, c.want, got)
	}
}

func judge(t *testing.T, what, want, got string) {
	t.Helper()
	if want == ok {
		assert.Empty(t, got, what)
		return
	}
	assert.Contains(t, got, want, what)
}

// TestLayersReadsFiles checks that the reader finds what the rules are asked about: in every folder but the
// ones that Go leaves out as well, behind other names, in test files.
func TestLayersReadsFiles(t *testing.T) {
	root := t.TempDir()
	for file, text := range map[string]string{
		"wire/a.go":            "package wire\nimport (\n\"errors\"\nclk \"time\"\n)\nvar _ = clk.Now\n",
		"wire/a_test.go":       "package wire\nimport \"time\"\nfunc f() { time.Sleep(1) }\n",
		"wire/b_windows.go":    "package wire\nimport . \"strings\"\n",
		"wire/testdata/c.go":   "package c\nimport \"net\"\n",
		"captures/d.go":        "package captures\nimport \"math/rand/v2\"\nvar n = rand.IntN(6)\nvar r = rand.New(nil)\n",
		"extra/deep/e.go":      "package deep\nimport \"errors\"\n",
		".hidden/f.go":         "package f\nimport \"net\"\n",
		"captures/notes.txt":   "import \"net\"\n",
		"captures/more/g.go":   "package more\nimport \"dplay4/cmd/dplay\"\n",
		"cmd/dplay/main.go":    "package main\nimport \"dplay4/captures/more\"\n",
		"cmd/dplay/h_test.go":  "package main\nimport \"github.com/stretchr/testify/assert\"\n",
		"dpsp/sock/i.go":       "package sock\nimport (\n\"net\"\n\"time\"\n)\nvar t0 = time.Now()\n",
		"playerlist/import.go": "package playerlist\nimport _ \"dplay4/hostmigrate\"\n",
	} {
		name := filepath.Join(root, filepath.FromSlash(file))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	wrong, err := refuse(root)
	require.NoError(t, err)
	var at []string
	for _, w := range wrong {
		at = append(at, strings.Join(strings.SplitN(w, ": ", 3)[:2], ": "))
	}
	assert.Equal(t, []string{
		"captures/d.go:3: uses rand.IntN",
		"captures/more/g.go:2: imports dplay4/cmd/dplay",
		"extra/deep/e.go:2: imports errors",
		"playerlist/import.go:2: imports dplay4/hostmigrate",
		"wire/a.go:4: imports time",
		"wire/a.go:6: uses clk.Now",
		"wire/a_test.go:3: uses time.Sleep",
		"wire/b_windows.go:2: imports strings",
	}, at, strings.Join(wrong, "\n"))

	require.NoError(t, os.WriteFile(filepath.Join(root, "wire", "z.go"), []byte("no Go"), 0o600))
	_, err = refuse(root)
	assert.ErrorContains(t, err, "z.go")
}
