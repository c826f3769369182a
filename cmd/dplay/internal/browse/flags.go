package browse

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/dpsp/sock"
)

// Flags are the flags of "dplay sessions".
type Flags struct {
	App      flags.App     `flag:"app" usage:"list sessions of this game only: a GUID, or a name that is known; see above"`
	All      bool          `flag:"all" usage:"list sessions that nobody can join at the moment, too"`
	Password string        `flag:"password" secret:"password-file" usage:"show private sessions with this <PASSWORD>"`
	Hosts    []string      `flag:"host" usage:"ask this <HOST>, as if it stood at the end; may be repeated"`
	File     string        `flag:"hosts" usage:"ask the hosts in this <FILE>, too: one a line, and comments behind #; it is read once, at the start"`
	Timeout  time.Duration `flag:"timeout" default:"2s" usage:"wait so long for answers"`
	Watch    bool          `flag:"watch" usage:"go on until interrupted: a table, or lines of what comes, changes and goes"`
	Serve    string        `flag:"serve" usage:"go on until interrupted: a web page and JSON at <[ADDRESS]:PORT>"`
	Page
	Until    flags.Event   `flag:"until" usage:"end once this event was printed, such as session_found; see dplay help events"`
	Text     flags.Text    `flag:"text" choice:"auto,utf16,8bit" usage:"write names, passwords and chat so; auto: as the game is known to, else as the others do"`
	Format   flags.Choice  `flag:"format" choice:"text,ndjson" usage:"write a table for people, or a JSON object a line"`
	Bind     flags.Address `flag:"bind" usage:"use the network card with this address only"`
	TCP      flags.Ports   `flag:"tcp" usage:"take answers at the first free TCP port of this, a port or FROM-TO (default: the game's, or 2300-2349)"`
	AllCards bool          `flag:"all-interfaces" usage:"have every network card ask for itself"`
	readFile bool          // --hosts was given
}

// NewFlags returns the defaults.
func NewFlags() *Flags { return &Flags{Until: flags.NewEvent(Names()...)} }

// Check refuses flags that do not go together and values out of range. changed reports whether a flag was given.
func (f *Flags) Check(args []string, changed func(name string) bool) error {
	f.Hosts, f.readFile = append(f.Hosts, args...), changed("hosts")
	serve := changed("serve")
	ofPage := func(name string) error {
		return flags.Refuse(!serve && changed(name), "--%s is for the page of --serve", name)
	}
	var listen error
	if serve {
		listen = checkListen(f.Serve)
	}
	return cmp.Or(
		flags.Refuse(f.Timeout <= 0, "--timeout %s: must be more than nothing", f.Timeout),
		flags.Refuse(slices.Contains(f.Hosts, ""), "a HOST is empty"),
		flags.Refuse(f.AllCards && (len(f.Hosts) > 0 || f.readFile),
			"--all-interfaces is for asking everybody: a HOST is asked by the card that leads there"),
		flags.Refuse(f.AllCards && f.Bind.IsValid(), "--all-interfaces and --bind exclude each other"),
		flags.Refuse(slices.Contains(WatchedNames(), f.Until.Name) && !f.Watch, "--until %s: that happens only with --watch", f.Until.Name),
		ofPage("title"), ofPage("allow-origin"), ofPage("public-host"),
		flags.Refuse(serve && f.Watch, "--serve and --watch exclude each other"),
		flags.Refuse(serve && f.Until.Name != "", "--until is for what is printed; --serve prints no events"),
		flags.Refuse(serve && changed("format"), "--format is for what is printed; --serve always has the page and /sessions.json"),
		listen, f.Page.Check(), f.tooMany())
}

// tooMany returns an error if there are more hosts than can be asked.
func (f *Flags) tooMany() error {
	return flags.Refuse(len(f.Hosts) > MaxHosts, "%d HOSTs are more than the %d that are asked one by one", len(f.Hosts), MaxHosts)
}

// Options returns what the flags say, with the hosts in the file of --hosts.
func (f *Flags) Options(std cli.Streams) (*Options, error) {
	if f.readFile {
		hosts, err := readHosts(f.File)
		if err != nil {
			return nil, fmt.Errorf("--hosts: %w", err)
		}
		f.Hosts = append(f.Hosts, hosts...)
	}
	listening := flags.Listening{TCP: f.TCP}
	ports, _ := listening.Of(f.App.GUID)
	return &Options{Flags: *f, Ports: ports, Until: cli.NewUntil(f.Until.Name), NDJSON: f.Format.Value == "ndjson", Std: std,
		adapters: sock.Adapters, open: openSession}, f.tooMany()
}
