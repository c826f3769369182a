package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/events"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/cmd/dplay/internal/relaying"
	"dplay4/dpsp/bridge/code"
)

const bridgeCredentialLong = `Make a name and a password for a relay that is not open. They are good for a while, and nobody
has to tell the relay: it knows them by the secret. So this works on any machine that has the secret, and for coturn with use-auth-secret, too.

Who shares a session gives them to --relay; they are part of the session's code then, so who joins needs none.

Exit status: 0 it was made, 1 the secret could not be read, 2 wrong usage.`

const bridgeCredentialExamples = `  dplay bridge credential --auth-secret-file secret.txt --for 24h
  dplay bridge credential --auth-secret-file secret.txt --for 24h --name anna --relay relay.example.org`

// A credentialObject is a credential in JSON.
type credentialObject struct {
	Type     string `json:"type"`
	User     string `json:"user"`
	Password string `json:"password"`
	Expires  string `json:"expires"`
	Relay    string `json:"relay,omitempty"`
}

func newBridgeCredential(std cli.Streams) *cobra.Command {
	var file, name, at string
	var length time.Duration
	format := flags.NewChoice("text", "ndjson")
	cmd := &cobra.Command{
		Use:                   "credential [flags] --auth-secret-file FILE --for TIME",
		Short:                 "Make a name and a password for a relay",
		Long:                  bridgeCredentialLong,
		Example:               bridgeCredentialExamples,
		DisableFlagsInUseLine: true,
		Args:                  cobra.NoArgs,
		ValidArgsFunction:     cobra.NoFileCompletions,
		RunE: func(*cobra.Command, []string) error {
			if err := checkCredential(file, name, length); err != nil {
				return err
			}
			if at != "" {
				if r, err := code.ParseRelay(at); err != nil || r.User != "" {
					return fmt.Errorf("--relay %s: want the address or the name of a relay, such as 203.0.113.5", flags.Quoted(at))
				}
			}
			secret, err := relaying.ReadSecret(file)
			if err != nil {
				return std.Told(err)
			}
			expires := time.Now().Add(length)
			c := code.NewCredential(secret, name, expires)
			o := credentialObject{Type: "credential", User: c.User, Password: c.Password,
				Expires: expires.UTC().Format(events.TimeFormat)}
			if at != "" {
				o.Relay = c.User + ":" + c.Password + "@" + at
			}
			return std.Told(printCredential(std, o, format.Value == "ndjson"))
		},
	}
	set := cmd.Flags()
	set.SortFlags = false
	set.StringVar(&file, "auth-secret-file", "", "the relay's secret, a `FILE`")
	set.DurationVar(&length, "for", 0, "for how long it is good, `TIME`, such as 24h")
	set.Lookup("for").DefValue = "0" // said above
	set.StringVar(&name, "name", "player", "whose it is, `NAME`: the relay's log may tell it")
	set.StringVar(&at, "relay", "", "print it as --relay of \"dplay bridge share\" takes it, for the relay at `ADDRESS`")
	format.AddTo(cmd, "format", "write lines for people, or a JSON object a line")
	flags.NoFiles(cmd, "for", "name", "relay")
	return cmd
}

// checkCredential says what is wrong with the flags.
func checkCredential(file, name string, length time.Duration) error {
	const longest = 10 * 366 * 24 * time.Hour
	odd := func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(":@+", r) }
	switch u, err := code.ParseUser("1:" + name); {
	case file == "":
		return errors.New("no --auth-secret-file given: what is the relay's secret?")
	case length == 0:
		return errors.New("no --for given: for how long is it to be good? Such as 24h")
	case length < time.Minute || length > longest:
		return fmt.Errorf("--for %s: from 1m to ten years", length)
	case name == "" || err != nil || u.Tag != "" || strings.ContainsFunc(name, odd):
		return fmt.Errorf("--name %s: letters and digits, without spaces, : @ and +", flags.Quoted(name))
	}
	return nil
}

// printCredential prints it.
func printCredential(std cli.Streams, o credentialObject, asJSON bool) error {
	out := cli.NewOutput(std.Out)
	if asJSON {
		b, err := json.Marshal(o)
		if err != nil {
			return err
		}
		out.Add(append(b, '\n'))
		return out.End()
	}
	fmt.Fprintf(out, "user      %s\npassword  %s\nexpires   %s\n", o.User, o.Password, o.Expires)
	if o.Relay != "" {
		fmt.Fprintf(out, "share     dplay bridge share --relay %s\n", o.Relay)
	}
	return out.End()
}
