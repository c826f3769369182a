package main

import (
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/internal/testkit"
)

// aCode is the code of the examples, and wrongCode one that somebody typed wrong.
const (
	aCode     = "ASC0-7218-1107-HC79-45CS-3JG2-79SA-NRRV-ACKR"
	wrongCode = "ASC0-7218-1107-HC79-45CS-3JG2-79SA-NRRV-ACKX"
)

// TestBridgeRefuses says what is wrong with the command line.
func TestBridgeRefuses(t *testing.T) {
	testkit.User(t)
	const host = "host --app lotr2 --name Castle "
	for _, c := range []struct{ args, want string }{
		{"bridge", "which one? share, join, code, doctor, kick, cut, admit, refuse, relay or credential"},
		{"bridge open", `there is no "open": share, join`},

		{"bridge share", "no relay is known: name one with --relay, or in "},
		{"bridge share", `"dplay help relay" says what it is and how to have one`},
		{"bridge share 203.0.113.5", "what is 203.0.113.5? A relay is named by --relay 203.0.113.5"},
		{"share", "there is no \"share\", but a \"dplay bridge share\"\nTry 'dplay bridge share --help'"},
		{"kick Bob", "there is no \"kick\", but a \"dplay bridge kick\""},
		{"bridge share --relay http://203.0.113.5", `--relay: relay "http://203.0.113.5": leave "http://" away`},
		{"bridge share --relay 203.0.113.5/relay", `leave "/relay" away`},
		{"bridge share --relay a.b --relay c.d --relay e.f --relay g.h", "4 relays, and a code can name 3"},
		{"bridge share --relay a.b --for -1s", "--for -1s: must not be negative"},
		{"bridge share --relay a.b --for 7d --force", "--force replaces the file of --record: it does nothing without it"},
		{"bridge share --relay a.b --commands ndjson --events text", "--commands ndjson does not go with --events text"},

		{"bridge join", "no CODE given: who is in the session sees it, and tells it to you"},
		{"bridge join " + wrongCode, "the code " + wrongCode + ": "},
		{"bridge join ASC0 7218", "the code ASC0 7218: "},
		{"bridge join --relay 203.0.113.5 " + aCode, "the code names the relays: --relay is for who shares the session"},
		{"join --relay 203.0.113.5 " + aCode, "the code names the relays"},
		{"join --relay 203.0.113.5 192.0.2.7", "the code names the relays"},
		{"bridge join 172.31.0.1", "172.31.0.1 is the address of a machine, and no code"},
		{"bridge join [2001:db8::1]:3478", "dplay bridge share --relay [2001:db8::1]:3478"},
		{"bridge join Code: " + wrongCode, "the code " + wrongCode + ": letter 36"},
		{"bridge join ASC0-7218-1107 -HC79-45CS", "-HC79-45CS is taken for a flag. If it is the rest of a code, leave its first dash away"},
		{"bridge join ASC0-7218-1107 -7c79-45cs", "leave its first dash away"},
		{"bridge join -record x", "did you mean \"--record\"?"},
		{"bridge join --metrics x", "unknown flag: --metrics: it is one of dplay bridge relay\n"},
		{"join BFJB-YHD5-4JQ7-H0ZE-", "the code BFJB-YHD5-4JQ7-H0ZE-: "},
		{"join asc0 7218 1107 hc79", "the code asc0 7218 1107 hc79: "},
		{"bridge join --force " + aCode, "--force replaces the file of --record"},

		{"bridge doctor", "no relay is known: name one with --relay"},
		{"bridge doctor --relay 203.0.113.5 " + aCode, "the code says which relays: --relay does not go with it"},
		{"bridge doctor --relay 203.0.113.5 --name Bob", "--name is what the machines of a session call this one: it does nothing without a CODE"},
		{"bridge doctor --relay 203.0.113.5 --force-relay", "--force-relay is for who joins a session: it does nothing without a CODE"},
		{"bridge doctor " + wrongCode, "the code " + wrongCode + ": "},
		{"bridge doctor --relay a..b", `relay "a..b": this is no name`},

		{"bridge kick", "whom? NAME or NUMBER, as the bridge's table has them"},

		{host + "--relay 203.0.113.5", "--relay, --force-relay and --ask are for --share"},
		{host + "--force-relay", "--relay, --force-relay and --ask are for --share"},
		{host + "--ask", "--relay, --force-relay and --ask are for --share"},
		{host + "--share", "no relay is known: name one with --relay"},
		{host + "--share --relay 203.0.113.5 --bind 127.0.0.1", "--bind and --advertise do not go with a session over the internet"},
		{host + "--share --relay a:b", `"b" is no port`},
		{"join 192.0.2.7 --force-relay", "--force-relay is for who joins by a CODE"},
		{"join " + wrongCode, "the code " + wrongCode + ": "},
		{"join " + aCode + " --advertise 192.0.2.7", "--bind and --advertise do not go with a session over the internet"},
	} {
		got := dplay(t, strings.Fields(c.args)...)
		assert.Equal(t, exitUsage, got.status, "%s: %s", c.args, got.err)
		assert.Contains(t, got.err, c.want, c.args)
		assert.Empty(t, got.out, c.args)
	}
	got := dplay(t, "bridge", "kick", "Bob")
	assert.Equal(t, exitInput, got.status)
	assert.Contains(t, got.err, "no bridge of yours runs on this machine")
}

// TestBridgeFile: a user's file that cannot be read may hide the machine's address, and has the relays of who shares. That it cannot
// is no wrong usage. Who says both goes on without it.
func TestBridgeFile(t *testing.T) {
	file := testkit.User(t)
	require.NoError(t, os.WriteFile(file, []byte("relais = 3\n"), 0o600))
	const wrong = `, line 1: there is no key "relais"`
	for _, args := range []string{"bridge share", "host --app lotr2 --name Castle --share", "bridge doctor"} {
		got := dplay(t, strings.Fields(args)...)
		assert.Equal(t, exitInput, got.status, args)
		assert.Contains(t, got.err, wrong, args)
		assert.NotContains(t, got.err, "--help", args)
	}
	for args, later := range map[string]string{
		"bridge join --force-relay --for 1s --record " + file + " " + aCode: "--record: ", // it has something in it
		"bridge share --relay 1.2.3.4 --force-relay=false --record " + file: "--record: ",
		"join " + aCode + " --force-relay --bind 127.0.0.1":                 "--bind and --advertise do not go with",
	} {
		got := dplay(t, strings.Fields(args)...)
		assert.Contains(t, got.err, wrong, args)
		assert.Contains(t, got.err, "; the file was left out\n", args)
		assert.Contains(t, got.err, later, args)
	}
	for _, args := range []string{"bridge join " + aCode, "bridge share --relay 1.2.3.4", "join " + aCode, "bridge doctor " + aCode} {
		got := dplay(t, strings.Fields(args)...)
		assert.Equal(t, exitInput, got.status, args)
		assert.Contains(t, got.err, wrong, args)
		assert.Contains(t, got.err, "to go on without the file say --force-relay, or --force-relay=false", args)
	}
	got := dplay(t, "bridge", "join", "--force-relay", "--name", strings.Repeat("ä", 33), "--record", file, aCode)
	assert.Contains(t, got.err, `the others see the name "`+strings.Repeat("ä", 32)+`": one has 32 letters at most`)
	require.NoError(t, os.WriteFile(file, []byte(`relay = ["a.b", "c.d", "e.f", "g.h"]`), 0o600))
	assert.Contains(t, dplay(t, "bridge", "share").err, "4 relays, and a code can name 3")
}

// TestDoctorOptions: the doctor hides this machine's address from a session where its user wants that.
func TestDoctorOptions(t *testing.T) {
	file := testkit.User(t)
	require.NoError(t, os.WriteFile(file, []byte("name = \"Ann\"\nforce-relay = true\n"), 0o600))
	for _, c := range []struct {
		args, name string
		force      bool
	}{
		{"", "doctor", true},
		{"--force-relay=false --name Bob", "Bob", false},
	} {
		f, cmd := &bridgeDoctorFlags{}, &cobra.Command{}
		flags.Register(cmd, f)
		require.NoError(t, cmd.ParseFlags(strings.Fields(c.args)))
		o, err := f.doctor(t.Context(), cli.Streams{}, []string{aCode})
		require.NoError(t, err)
		assert.Equal(t, aCode, o.With.String())
		assert.Equal(t, o.With.Relays, o.Relays)
		assert.Equal(t, []any{c.name, c.force}, []any{o.Name, o.ForceRelay}, c.args)
	}
}
