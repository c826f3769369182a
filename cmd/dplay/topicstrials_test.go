package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"dplay4/cmd/dplay/internal/dropin/dropintest"
)

// A trial says how a command line of the README or of help is tried. Nothing of it leaves the machine: an address becomes
// one of the test's own, and a file becomes one that is there, or one of the test's.
type trial struct {
	swap   []string // words of the command line and what stands for them here, in turn
	more   []string // what is added
	beside []string // a host that runs meanwhile, at the place's address
	stdin  string   // the file that standard input is
	until  string   // a line to wait for, a regular expression; then the command line is interrupted
	visit  string   // what the web page named in that line has to have as its list
	makes  string   // a file that it has to write
	same   bool     // another trial runs the same but for words that swap replaces: it runs with DPLAY_LONG alone
	alone  bool     // it runs in a network of its own, where 203.0.113.5 is a relay
	status int
	out    string // what it has to print, on standard output; a regular expression
	err    string // likewise, on standard error
}

// Captures of the project that examples are tried with.
const (
	groupCapture   = "captures/lab/13-w10join-group-setdata-setname-chat.pcap"
	joinCapture    = "captures/lab/02-rzhost-packedoffset-gamemsg-w10join-full.pcap"
	refusedCapture = "captures/interop/ourhost-full-w10-joiners.pcap"
	goneCapture    = "captures/migration/killed-modern.pcapng"
	interopCapture = "captures/interop/dplay-third-machine.pcap"
)

// A stage is what trials happen on: a place, and a folder for what they write.
type stage struct {
	place
	folder string
}

func newStage(t *testing.T) stage {
	t.Helper()
	return stage{newPlace(t), t.TempDir()}
}

// castle is the host that most examples join.
var castle = []string{"host", "--app", "lotr2", "--name", "Castle", "--player", "Ann"}

// framed is one with the reliable protocol.
var framed = append(slices.Clone(castle), "--flags", "directplayprotocol,keepalive")

// untilThere ends a host, or a joiner, once the session is there.
var untilThere = []string{"--until", "session_opened"}

func (at stage) bind() []string                   { return []string{"--bind", at.address} }
func (at stage) hosts() []string                  { return append(at.bind(), untilThere...) }
func (at stage) joins() []string                  { return append(at.hosts(), "--timeout", anHour) }
func (at stage) file(name string) string          { return filepath.Join(at.folder, name) }
func (at stage) of(capture string) []string       { return []string{"game.pcap", capture} }
func (at stage) instead(words ...string) []string { return swapAll(words, at.address) }

// swapAll has one word stand for all of them.
func swapAll(words []string, by string) (swap []string) {
	for _, w := range words {
		swap = append(swap, w, by)
	}
	return swap
}

// trialParts have together a line for each command line that the README and help show.
var trialParts = []func(*testing.T, stage) map[string]trial{helpTrials, decodeTrials, drawTrials, annotateTrials, doctorTrials, replayTrials, diffTrials,
	playTrials, sessionsTrials, simulateTrials, gamesTrials, recordTrials, dllTrials, launchTrials, bridgeTrials, relayTrials}

// trials returns all of them.
func trials(t *testing.T, at stage) map[string]trial {
	t.Helper()
	all := map[string]trial{}
	for _, part := range trialParts {
		maps.Copy(all, part(t, at))
	}
	return all
}

func helpTrials(*testing.T, stage) map[string]trial {
	all := map[string]trial{}
	for _, topic := range topics {
		all["dplay help "+topic.name] = trial{out: "(?i)^[a-z ]*" + topic.name}
	}
	all["dplay menu"] = trial{out: "1  Find .*\n(.*\n)+  8  Quit"} // its input ends at once
	all["dplay join --help"] = trial{out: "--session NAME"}
	all["dplay version"] = trial{out: `^dplay .*, go1\.`}
	all["dplay version --format json"] = trial{out: `^{"version":".*"platform":"`}
	all["dplay help"] = trial{out: "Topics:\n  start"}
	return all
}

func decodeTrials(_ *testing.T, at stage) map[string]trial {
	const decode = "dplay decode "
	group, join := at.of(groupCapture), at.of(joinCapture)
	return map[string]trial{
		"go run ./cmd/" + decode + joinCapture:                        {out: "CREATEPLAYER", err: "accounted for"},
		decode + "captures/lab/04-rzhost-w10join-unreliable-udp.pcap": {out: `ENUMSESSIONS app=\{a052a50b`, err: "53 frames, 15 of them"},
		decode + joinCapture:                                          {out: "CREATEPLAYER"},
		decode + "game.pcap":                                          {swap: join, out: "CREATEPLAYER"},
		decode + "-V game.pcap":                                       {swap: group, out: "short_name|ShortName"},
		decode + "-x game.pcap":                                       {swap: group, out: `70 6c 61 79`},
		decode + "--follow 2 game.pcap":                               {swap: group, out: "TCP"},
		decode + "--stats game.pcap":                                  {swap: group, out: "ADDPLAYERTOGROUP"},
		decode + "--format ndjson game.pcap":                          {swap: group, out: `^\{.*"message"`},
		decode + "-":                                                  {stdin: groupCapture, out: "ADDPLAYERTOGROUP"},
		decode + "-V -":                                               {stdin: groupCapture, out: "PlayerID"},
		decode + "--help":                                             {out: "--filter EXPR"},
		decode + "-V --filter 'command == \"ENUMSESSIONSREPLY\"' game.pcap": {swap: join, out: "SessionName|session_name"},
		decode + "--filter 'command == \"CHAT\"' game.pcap":                 {swap: at.of(goneCapture), out: "CHAT"},
		decode + "--filter 'from_name == \"Ann\" and size > 30' game.pcap":  {swap: at.of(interopCapture), out: "PLAYERMESSAGE"},
		decode + "--filter 'address(\"192.0.2.1\") and not player(\"Bob\")' game.pcap": {
			swap: at.of(interopCapture), out: "192.0.2.1:"},
		decode + "--filter 'has(message.session_desc.flags, \"PRIVATE\")' game.pcap": {swap: group, err: "accounted for"}, // no capture has one
		decode + "--filter 'any(message.players, .short_name != nil)' game.pcap":     {swap: join, out: "SUPERENUMPLAYERSREPLY"},
		decode + "--filter 'again > 0 or command == \"RELIABLE_NACK\"' game.pcap":    {swap: group, err: "accounted for"}, // no capture of the project has frames
		decode + "--filter 'text(payload) contains \"hello\"' game.pcap":             {swap: at.of(interopCapture), err: "of .* messages shown"},
		decode + "--filter 'bytes(\"de ad be ef\") in payload' game.pcap":            {swap: at.of(interopCapture), err: "of .* messages shown"},
		decode + "--filter 'gap > 5' --time absolute game.pcap":                      {swap: at.of(interopCapture), err: "of .* messages shown"},
		decode + "--filter 'command == \"EXTENSION VIEW INSTALL\"' game.pcap":        {swap: at.of(goneCapture), out: "INSTALL"},

		decode + "-V --filter 'command == \"ENUMSESSIONSREPLY\"' captures/lab/*.pcap":                                          {out: "(?i)session_?name"},
		decode + "--filter 'command != \"PING\" and relative > 2' --time absolute captures/lab/05-rzhost-two-w10-joiners.pcap": {out: `\d\d:\d\d:\d\d`},
		decode + "--filter 'from == 0x000003eb or player(\"HostGuy\")' " + joinCapture:                                         {out: "HostGuy"},
		decode + "--filter 'has(message.session_desc.flags, \"PASSWORDREQUIRED\")' captures/lab/07a-rzhost-password-w10join-right.pcap": {
			out: "ENUMSESSIONSREPLY"},
		decode + "--filter 'any(message.players, .short_name != nil)' " + joinCapture: {out: "SUPERENUMPLAYERSREPLY"},
		decode + "-x --payload none --filter 'transport == \"udp\" and size < 100' captures/lab/04-rzhost-w10join-unreliable-udp.pcap": {
			out: "PLAYERMESSAGE"},
		decode + "--filter 'command startsWith \"EXTENSION VIEW\" and message.view.epoch > 2' " + goneCapture: {out: "EXTENSION VIEW"},
		decode + "--filter 'text(payload) contains \"says\"' " + joinCapture:                                  {out: "w10says", err: "4 of 13 messages shown"},
		decode + "--time delta --payload text captures/lab/04-rzhost-w10join-unreliable-udp.pcap":             {out: `octets "hostudp #2`},
		decode + "--stats captures/lab/05-rzhost-two-w10-joiners.pcap":                                        {out: "ADDFORWARDREQUEST"},
		decode + "--follow 2 captures/lab/05-rzhost-two-w10-joiners.pcap":                                     {out: "10.77.0"},
		decode + "--format ndjson " + groupCapture:                                                            {out: `^\{.*"message"`},
	}
}

func drawTrials(_ *testing.T, at stage) map[string]trial {
	const draw = "dplay draw "
	made := func(name string, swap ...string) trial {
		return trial{swap: append(swap, name, at.file(name)), makes: at.file(name)}
	}
	return map[string]trial{
		draw + "game.pcap":                    {swap: at.of(joinCapture), out: "HostGuy"},
		draw + "--report game.html game.pcap": made("game.html", at.of(joinCapture)...),
		draw + "--filter 'command != \"PING\" and relative < 60' game.pcap": {swap: at.of(joinCapture), out: "HostGuy"},
		draw + joinCapture: {out: "HostGuy"},
		draw + "--width 100 --ascii --conversation 2 captures/lab/05-rzhost-two-w10-joiners.pcap": {out: "CREATEPLAYER"},
		draw + "--conversation 10.77.0.1,10.77.0.2 captures/lab/05-rzhost-two-w10-joiners.pcap":   {out: "CREATEPLAYER"},
		draw + "--filter 'command != \"PING\"' --format mermaid " + joinCapture:                   {out: "sequenceDiagram"},
		draw + "-o session.svg captures/interop/ourhost-third-machine.pcap":                       made("session.svg"),
		draw + "--report session.html " + goneCapture:                                             made("session.html"),
	}
}

func annotateTrials(_ *testing.T, at stage) map[string]trial {
	const annotate = "dplay annotate "
	made := func(name string, swap ...string) trial {
		return trial{swap: append(swap, name, at.file(name)), makes: at.file(name)}
	}
	piped := made("game.pcapng")
	piped.stdin = refusedCapture
	return map[string]trial{
		annotate + "game.pcap -o -":                {swap: at.of(joinCapture), out: "SUPERENUMPLAYERSREPLY"},
		annotate + "- -o game.pcapng":              piped,
		annotate + "game.pcap -o annotated.pcapng": made("annotated.pcapng", at.of(joinCapture)...),
	}
}

func doctorTrials(_ *testing.T, at stage) map[string]trial {
	const doctor = "dplay doctor "
	more := []string{"--bind", at.beside(), "--timeout", anHour}
	live := trial{beside: castle, swap: at.instead("192.0.2.7"), more: more, out: "^healthy"}
	return map[string]trial{
		doctor + "game.pcap": {swap: at.of(refusedCapture), status: exitFindings, out: "session-full"},
		doctor + "captures/lab/08-rzhost-full-max1-w10join.pcap": {status: exitFindings, out: "session-full"},
		doctor + "--format ndjson captures/lab/*.pcap":           {status: exitFindings, out: `"severity":"failure"`},
		doctor + "--live 192.0.2.7":                              live,
		doctor + "--live 203.0.113.5":                            {same: true, beside: castle, swap: at.instead("203.0.113.5"), more: more, out: "^healthy"},
		doctor + "--live":                                        {same: true, beside: castle, more: append([]string{at.address}, more...), out: "^healthy"},
		doctor + "--live --until session_found":                  {same: true, beside: castle, more: append([]string{at.address}, more...), out: "^healthy"},
		doctor + "--live --timeout 1m --until session_found": {
			beside: castle, swap: []string{"1m", anHour}, more: append([]string{at.address}, more[:2]...), out: "^healthy"},
		doctor + "--live --app lotr2 192.0.2.7": live,
		doctor + "--explain address-private":    {out: "# What to do|## What to do"},
		doctor + "--explain reply-timed-out":    {out: "## What to do"},
		doctor + "--list":                       {out: "capture-incomplete"},
	}
}

func replayTrials(_ *testing.T, at stage) map[string]trial {
	const replay = "dplay replay "
	return map[string]trial{
		replay + "game.pcap": {swap: at.of(refusedCapture), out: "21 messages compared, 21 equal"},
		replay + "captures/lab/04-rzhost-w10join-unreliable-udp.pcap":          {status: exitFindings, out: "recorded 20, ours 16"},
		replay + "--as joiner " + joinCapture:                                  {out: "joiner 10.77.0.2:2300"},
		replay + "--format ndjson captures/interop/ourhost-third-machine.pcap": {out: `"type":"result"`},
		replay + "--speed 100 " + joinCapture:                                  {status: exitFindings, out: "ENUMSESSIONS"},
		replay + "--period 500ms --probes 3 " + goneCapture:                    {status: exitFindings, out: "compared"},
		replay + "--to 127.0.0.1 " + joinCapture: {
			beside: []string{"host", "--app", labGame, "--name", "RZsession", "--player", "HostGuy"},
			swap:   at.instead("127.0.0.1"), more: []string{"--speed", "1000"}, status: exitFindings, out: "7 messages sent, 4 answers"},
	}
}

func diffTrials(_ *testing.T, at stage) map[string]trial {
	const diff = "dplay diff "
	pair := []string{"works.pcap", joinCapture, "fails.pcap", "captures/lab/04-rzhost-w10join-unreliable-udp.pcap"}
	return map[string]trial{
		diff + "works.pcap fails.pcap":                 {swap: pair, status: exitFindings, out: "only in A"},
		diff + "--columns game.pcap game.pcap":         {swap: append(at.of(joinCapture), at.of(joinCapture)...), out: "PLAYERMESSAGE with 11 octets"},
		diff + "--format ndjson works.pcap fails.pcap": {swap: pair, status: exitFindings, out: `"type":"result"`},
	}
}

func playTrials(t *testing.T, at stage) map[string]trial {
	const host, join = "dplay host --app lotr2 ", "dplay join "
	migrating := append(slices.Clone(castle), "--flags", "migratehost,keepalive")
	there, hosts, joins := at.instead("192.0.2.7"), at.hosts(), at.joins()
	playing := append(at.bind(), "--timeout", anHour, "--until", "player_created")
	file := []string{"echo.pcapng", at.file("echo.pcapng")}
	joined := func(who string, beside []string) trial { // which is known after session_opened
		return trial{beside: beside, swap: there, more: append(at.bind(), "--timeout", anHour), until: `^\* you are ` + who}
	}
	atOther := func(address string) trial {
		try := joined("Bob", castle)
		try.swap, try.same = at.instead(address), true
		return try
	}
	password := at.file("password.txt")
	require.NoError(t, os.WriteFile(password, []byte("sesame\n"), 0o600))
	ready := trial{swap: []string{"peer_joined", "session_opened"}, more: at.bind(), out: `hosting "Castle"`}
	return map[string]trial{
		host + "--name Castle --player Ann":                                           {more: at.bind(), until: `^\* you are Ann`, out: `hosting "Castle"`},
		host + "--name Echo --echo --for 60s --events ndjson --record echo.pcapng":    {swap: file, more: hosts, out: "session_opened", makes: file[1]},
		host + "--name Castle --flags migratehost,keepalive":                          {more: hosts, out: "migratehost,keepalive"},
		host + "--name Secret --password sesame --flags private":                      {more: hosts, out: "private,passwordrequired"},
		host + "--name Castle --bind 192.0.2.7":                                       {swap: there, more: untilThere, out: at.address},
		host + "--name Castle --advertise 203.0.113.5":                                {more: hosts, out: `hosting "Castle"`},
		host + "--name Realm --max 4 --password sesame --flags migratehost,keepalive": {more: hosts, out: `hosting "Realm"`},
		host + "--name Castle --until peer_joined --for 10m":                          ready,
		"dplay host --app loco --name Train --flags directplayprotocol,keepalive":     {more: hosts, out: "keepalive,directplayprotocol"},
		"dplay host --app {bdcfe03e-f0ec-415b-8211-6f86d8197fe1} --name Test":         {more: hosts, out: `hosting "Test"`},
		"dplay host --events ndjson":                                                  {more: append([]string{"--app", "lotr2", "--name", "Castle"}, hosts...), out: "session_opened"},
		join + "--events ndjson":                                                      {beside: castle, more: append([]string{at.address}, joins...), out: "session_opened"},

		join + "127.0.0.1 --player Bob":                 atOther("127.0.0.1"),
		join + "203.0.113.5 --player Bob":               atOther("203.0.113.5"),
		join + "--app lotr2":                            {beside: castle, more: append([]string{at.address}, joins...), out: `joined "Castle"`},
		join + "192.0.2.7 --tcp 31415 --udp 31415":      {beside: castle, swap: there, more: joins, out: "TCP " + at.address + ":31415"},
		join + "192.0.2.7 --readings loose,running":     {beside: framed, swap: there, more: joins, out: `joined "Castle"`},
		join + "192.0.2.7 --session Castle":             {beside: castle, swap: there, more: joins, out: `joined "Castle"`},
		join + "192.0.2.7 --player Bob":                 joined("Bob", migrating),
		join + "192.0.2.7 --player Eve --events ndjson": {beside: migrating, swap: there, more: playing, out: `"Eve"`},
		join + "192.0.2.8":                              {beside: migrating, same: true, swap: at.instead("192.0.2.8"), more: joins, out: `joined "Castle"`},
		join + "192.0.2.7 --session Test --player Ann --password sesame": joined("Ann",
			[]string{"host", "--app", "lotr2", "--name", "Test", "--password", "sesame"}),
		join + "192.0.2.7 --password-file password.txt": {beside: []string{"host", "--app", "lotr2", "--name", "Test", "--password-file", password},
			swap: append(slices.Clone(there), "password.txt", password), more: joins, out: `joined "Test"`},
		join + "192.0.2.7 --player Bot --commands ndjson": {beside: castle, swap: there, more: playing, out: `"name":"Bot"`},
		join + "192.0.2.7 --say hello --send-hex 'de ad be ef' --unreliable --for 5s --events ndjson": {
			beside: castle, swap: there, more: playing, out: "session_opened"},
		join + "192.0.2.7 --send-hex c0ffee --until message --for 1m": {
			beside: append(slices.Clone(castle), "--echo"), swap: append(slices.Clone(there), "1m", anHour), more: append(at.bind(), "--timeout", anHour),
			out: "Ann.*c0 ?ff ?ee"},
	}
}

// Asking on every network card takes networks: TestAllInterfaces does it where there are only those that it makes.
// recordTrials name an adapter that no machine has: what the examples record is tried by TestRecordSession, in a network of its own.
func recordTrials(*testing.T, stage) map[string]trial {
	all := map[string]trial{}
	for _, flags := range []string{"", " --for 10m", " -o game.pcapng", " -o game.pcapng --for 10m"} {
		all["dplay record"+flags] = trial{more: []string{"-i", "nosuch0"}, status: exitInput, err: `"nosuch0"|administrator|pktmon|tcpdump`}
	}
	all["dplay record -i eth0 -i lo --app lotr2 -o game.pcapng"] = trial{swap: []string{"eth0", "nosuch0"}, status: exitInput,
		err: `"nosuch0"|"pktmon list"|administrator|tcpdump`}
	all["dplay help record"] = trial{out: "--max-size MEGABYTES"}
	return all
}

func sessionsTrials(t *testing.T, at stage) map[string]trial {
	const sessions = "dplay sessions"
	there, brief := at.instead("192.0.2.7"), append([]string{"--timeout", anHour, "--until", "session_found"}, at.bind()...)
	here := append([]string{at.address}, brief...)
	served := append([]string{at.address}, at.bind()...)
	secret := []string{"host", "--app", "lotr2", "--name", "Secret", "--password", "sesame", "--flags", "private"}
	closed := append(slices.Clone(castle), "--flags", "joindisabled")
	everywhere := at.instead("--all-interfaces")
	list := at.file("hosts.txt")
	require.NoError(t, os.WriteFile(list, []byte(at.address+"\n"), 0o600))
	watched := func(swap, more []string) trial {
		return trial{beside: castle, swap: swap, more: more, out: `^\+ "Castle"`}
	}
	return map[string]trial{
		sessions:                                                   {beside: castle, more: here, out: "Castle"},
		sessions + " 192.0.2.7":                                    {same: true, beside: castle, swap: there, more: brief, out: "Castle"},
		sessions + " 192.0.2.7 --all":                              {same: true, beside: closed, swap: there, more: brief, out: "Castle.* joindisabled"},
		sessions + " --all":                                        {beside: closed, more: here, out: "Castle.* joindisabled"},
		sessions + " 192.0.2.7 --password sesame":                  {beside: secret, swap: there, more: brief, out: "Secret.* private"},
		sessions + " --format ndjson":                              {beside: castle, more: here, out: `"session_name":"Castle"`},
		sessions + " --watch":                                      watched(nil, here),
		sessions + " --app lotr2 --watch":                          watched(nil, here),
		sessions + " --all-interfaces":                             {beside: castle, swap: everywhere, more: brief, out: "Castle"},
		sessions + " --all-interfaces --watch":                     watched(everywhere, brief),
		sessions + " --host 192.0.2.7 --host 192.0.2.8 --watch":    watched(at.instead("192.0.2.7", "192.0.2.8"), brief),
		sessions + " 192.0.2.7 --until session_found --timeout 1m": {beside: castle, swap: append(slices.Clone(there), "1m", anHour), more: at.bind(), out: "Castle"},
		sessions + " --serve":                                      {beside: castle, more: append([]string{"127.0.0.1:0"}, served...), until: `http://127\.0\.0\.1:\d+/`, visit: `"Castle"`},
		sessions + " --serve 127.0.0.1:8080": {
			beside: castle, swap: []string{"127.0.0.1:8080", "127.0.0.1:0"}, more: served, until: `http://127\.0\.0\.1:\d+/`, visit: `"Castle"`},
		sessions + " --serve 127.0.0.1:8080 --public-host games.example": {
			same: true, beside: castle, swap: []string{"127.0.0.1:8080", "127.0.0.1:0"}, more: served, until: `http://127\.0\.0\.1:\d+/`, visit: `"Castle"`},
		sessions + " --hosts hosts.txt --serve 127.0.0.1:8080 --title Castles": {
			beside: castle, swap: []string{"127.0.0.1:8080", "127.0.0.1:0", "hosts.txt", list}, more: at.bind(),
			until: `http://127\.0\.0\.1:\d+/`, visit: `"Castle"`},
	}
}

// What the user has is not touched: nothing is written.
func gamesTrials(_ *testing.T, at stage) map[string]trial {
	const games = "dplay games"
	exported := []string{"applications.reg", "cmd/dplay/testdata/applications.reg"}
	return map[string]trial{
		games:                      {out: `(?m)^shc +Stronghold Crusader +0xa044$`},
		games + " shc":             {out: "opengsq"},
		games + " --format ndjson": {out: `"application":"\{1d5e2f48-e8c0-49e5-aed8-b124da9e3059\}"`},
		games + " import ~/.wine/system.reg": {
			swap: []string{"~/.wine/system.reg", "cmd/dplay/testdata/system.reg"}, more: []string{"--dry-run"}, out: "1 would be added"},
		games + " import applications.reg": {swap: exported, more: []string{"--dry-run"}, out: "1 would be added"},
		games + " import --dry-run ~/.wine/system.reg": {
			swap: []string{"~/.wine/system.reg", "cmd/dplay/testdata/system.reg"}, out: "1 would be added"},
	}
}

// What the examples would change is made up.
func dllTrials(t *testing.T, at stage) map[string]trial {
	t.Helper()
	const dll = "dplay dll "
	prefix, game, from := dropintest.Prefix(t), t.TempDir(), dropintest.Release(t, "v1.2.3")
	dropintest.Put(t, dropintest.Game.Octets(), game, "castle.exe")
	in := func(words ...string) []string { return append(swapAll(words[:1], words[1]), words[2:]...) }
	toml := at.file("dplayx.toml")
	steam := "~/.steam/steam/steamapps/"
	return map[string]trial{
		dll + "install --wine-prefix ~/.wine-game":                  {swap: in("~/.wine-game", prefix), more: []string{"--from", from}, out: "placed +drive_c/windows/system32/dplayx.dll: dplay's v1.2.3"},
		dll + "install --wine-prefix " + steam + "compatdata/12345": {swap: in(steam+"compatdata/12345", prefix), more: []string{"--from", from}, out: "set +dplayx: override native,builtin"},
		dll + "install --game " + steam + "common/Castle":           {swap: in(steam+"common/Castle", game), more: []string{"--from", from}, out: "placed +dplayx.dll"},
		dll + `install --game C:\Games\Castle`:                      {swap: in(`C:\Games\Castle`, game), more: []string{"--from", from}, out: "placed +dplayx.dll"},
		dll + "install --dry-run":                                   {more: []string{"--from", from, "--wine-prefix", prefix}, out: "nothing was changed"},
		dll + "status --wine-prefix ~/.wine-game":                   {swap: in("~/.wine-game", prefix), out: "386 +dplayx.dll +Wine's own"},
		dll + `status --game C:\Games\Castle --format ndjson`:       {swap: in(`C:\Games\Castle`, game), out: `"type":"dll","name":"dplayx.dll","arch":"386"`},
		dll + `status --game C:\Games\Castle`:                       {swap: in(`C:\Games\Castle`, game), out: "386 +dplayx.dll +none: nothing is beside the game"},
		dll + "remove --wine-prefix ~/.wine-game":                   {swap: in("~/.wine-game", prefix), out: "nothing of dplay is in"},
		dll + `remove --game C:\Games\Castle`:                       {swap: in(`C:\Games\Castle`, game), out: "nothing of dplay is in"},
		dll + "config":                                              {out: "(?m)^#address = "},
		dll + "config -o dplayx.toml":                               {swap: in("dplayx.toml", toml), makes: toml},
	}
}

// The game is one of these tests.
func launchTrials(t *testing.T, at stage) map[string]trial {
	t.Helper()
	const launch = "dplay launch --app lotr2 "
	game := lobbied(t, at.address)[1:]
	game[2] = at.address
	play := func(words ...string) []string {
		return append([]string{"game.exe", game[0]}, words...)
	}
	hosts := trial{swap: play(), more: game[1:], out: "the game is in the session"}
	joins := trial{beside: castle, swap: play("192.0.2.7", at.address, "wine", "env"), out: "the game is in the session"}
	joins.more = lobbied(t, at.beside())[2:]
	lobby := joins
	lobby.swap = append(slices.Clone(joins.swap), "/lobby", joins.more[0])
	lobby.more = joins.more[1:]
	return map[string]trial{
		launch + "--host --name Castle --player Ann -- game.exe":         hosts,
		launch + "--join 192.0.2.7 --player Bob -- wine game.exe":        joins,
		launch + "--join 192.0.2.7 --player Bob -- wine game.exe /lobby": lobby,
	}
}

func simulateTrials(_ *testing.T, at stage) map[string]trial {
	const simulate = "dplay simulate "
	svg := at.file("run.svg")
	return map[string]trial{
		simulate + "--runs 200 --drawn --loss 0 --rule modern --legacy 0 --members 5 --objects 0 --flags migratehost,keepalive --faults sharing": {
			same: true, swap: []string{"200", "2"}, out: "drawn"},
		simulate + "--seed 57 --legacy 0 --loss 0 --rule dplay4":           {out: `, 1 in the end\n`},
		simulate + "--seed 57 --legacy 0 --loss 0 --rule modern":           {out: `, 0 in the end\n`},
		simulate + "--runs 10000 --legacy 0 --flags migratehost,keepalive": {swap: []string{"10000", "8"}, more: []string{"--minutes", "15", "--members", "3"}, out: "modern +20%"},
		simulate + "--seed 7": {out: "in the end"},
		simulate + "--seed 7 --members 8 --legacy 2 --rule dplay4 --faults crash,partition --minutes 40 --svg run.svg": {
			swap: []string{"run.svg", svg}, more: unlessLong("--minutes", "15"), out: "in the end", makes: svg},
		simulate + "--seed 7 --format ndjson":                    {more: unlessLong("--minutes", "15"), out: `"kind":"host"`},
		simulate + "--seed 7 --trace --faults none --minutes 15": {out: "PING"},
		simulate + "--runs 12 --rule modern --legacy 0 --objects 0 --flags migratehost,keepalive --faults break --members 6": {
			more: append(unlessLong("--runs", "4"), "--minutes", "15"), out: "thrown"},
		simulate + "--runs 2000 --drawn --format ndjson": {
			swap: []string{"2000", "2"}, more: []string{"--minutes", "15", "--members", "3"}, out: `"thrown_out":`},
		simulate + "--runs 1000 --drawn":         {same: true, swap: []string{"1000", "2"}, out: "drawn"},
		simulate + "--runs 400 --drawn --frames": {same: true, swap: []string{"400", "2"}, out: "drawn"},
		simulate + "--runs 300 --drawn --rule modern --legacy 0 --flags migratehost,keepalive": {
			same: true, swap: []string{"300", "2"}, out: "drawn"},
		simulate + "--runs 600 --drawn --rule modern --legacy 0 --members 4 --faults all --flags migratehost,keepalive": {
			same: true, swap: []string{"600", "2"}, out: "drawn"},
		simulate + "--runs 80": {same: true, swap: []string{"80", "8"}, more: []string{"--minutes", "15", "--members", "3"}, out: "modern +20%"},
	}
}

// unlessLong returns words that make a command line cheaper, or none with DPLAY_LONG.
func unlessLong(words ...string) []string {
	if os.Getenv("DPLAY_LONG") != "" {
		return nil
	}
	return words
}

// hasWritten reports whether a file has something in it.
func hasWritten(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Size() > 0
}

// bridgeTrials has the commands of the bridge.
func bridgeTrials(t *testing.T, at stage) map[string]trial {
	const bridge, code = "dplay bridge ", "ASC0-7218-1107-HC79-45CS-3JG2-79SA-NRRV-ACKR"
	opened := []string{"--until", "bridge_opened"}
	shared := trial{alone: true, more: opened, out: "Tell this code to those who are to join:\n\n    A"}
	recorded := shared
	recorded.swap, recorded.makes = []string{"game.pcapng", at.file("game.pcapng")}, at.file("game.pcapng")
	commanded := trial{alone: true, more: opened, out: `"event":"bridge_opened","code":"A`}
	several := trial{alone: true, more: opened, out: "\n    B"}
	hosted := trial{alone: true, more: untilThere, out: `those who are to join type: dplay join A(.*\n)+.*hosting "Castle"`}
	const asks = "waiting for the session to answer" // which none does; TestNobodyAnswers of dpsp/bridge waits to the end
	nobody := trial{alone: true, until: asks, status: exitInput, err: "interrupted before the session was there"}
	coded := nobody
	coded.swap = []string{"code.txt", at.file("code.txt")}
	require.NoError(t, os.WriteFile(coded.swap[1], []byte("Code: "+code+"\n"), 0o600))
	named := nobody
	named.same = true
	none := trial{status: exitInput, err: "no bridge of yours runs on this machine"}
	looked := trial{alone: true, out: "relay 203.0.113.5: UDP .* ms, TCP .* ms, TLS(.*\n)+router: there is none that changes addresses"}
	return map[string]trial{
		bridge + "share --relay 203.0.113.5":                                            shared,
		bridge + "share --relay 203.0.113.5 --relay relay.example.org --name Ann --ask": several,
		bridge + "share --relay 203.0.113.5 --force-relay --record game.pcapng":         recorded,
		bridge + "share --relay 203.0.113.5 --until bridge_opened":                      {same: true, alone: true, out: shared.out},
		bridge + "share --relay 203.0.113.5 --commands ndjson":                          commanded,
		"dplay host --app lotr2 --name Castle --share --relay 203.0.113.5":              hosted,
		bridge + "join " + code:                               nobody,
		bridge + "join " + code + " --name Bob --force-relay": named,
		"dplay join " + code + " --player Bob":                nobody,
		bridge + "join --code-file code.txt":                  coded,
		bridge + "share --help":                               {out: "bridge.toml"},
		bridge + "code":                                       none,
		bridge + "kick Bob":                                   none,
		bridge + "kick 3":                                     none,
		bridge + "cut Bob":                                    none,
		bridge + "admit":                                      none,
		bridge + "admit Bob":                                  none,
		bridge + "refuse Bob":                                 none,
		bridge + "doctor --relay 203.0.113.5":                 looked,
		bridge + "doctor " + code:                             {alone: true, until: asks, status: exitInput, err: "interrupted"},
	}
}
