package main

import (
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

Who shares a session gives them to --relay; they are part of the session's code then, so who joins needs none. Sessions have to end by
the time that they expire: then nobody can join by the relay any more, and within ten minutes who needs it loses it.

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
	var length flags.Span
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
			expires := time.Now().Add(length.Duration)
			c := code.NewCredential(secret, name, expires)
			o := credentialObject{Type: "credential", User: c.User, Password: c.Password,
				Expires: expires.UTC().Format(time.RFC3339)}
			if at != "" {
				o.Relay = c.User + ":" + c.Password + "@" + at
			}
			return std.Told(printCredential(std, o, format.Value == "ndjson"))
		},
	}
	set := cmd.Flags()
	set.SortFlags = false
	set.StringVar(&file, "auth-secret-file", "", "the relay's secret, a `FILE`")
	set.Var(&length, "for", "for how long it is good, such as 24h or 7d")
	set.StringVar(&name, "name", "player", "whose it is, `NAME`: the relay's log may tell it")
	set.StringVar(&at, "relay", "", "print it as --relay of \"dplay bridge share\" takes it, for the relay at `ADDRESS`")
	format.AddTo(cmd, "format", "write lines for people, or a JSON object a line")
	flags.NoFiles(cmd, "for", "name", "relay")
	return cmd
}

// checkCredential says what is wrong with the flags.
func checkCredential(file, name string, length flags.Span) error {
	const longest = 10 * 366 * 24 * time.Hour
	odd := func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(":@+", r) }
	switch u, err := code.ParseUser("1:" + name); {
	case file == "":
		return errors.New("no --auth-secret-file given: what is the relay's secret?")
	case length.String() == "":
		return errors.New("no --for given: for how long is it to be good? Such as 24h")
	case length.Duration < time.Minute || length.Duration > longest:
		return fmt.Errorf("--for %s: from 1m to ten years", length.String())
	case name == "" || err != nil || u.Tag != "" || strings.ContainsFunc(name, odd):
		return fmt.Errorf("--name %s: letters and digits, without spaces, : @ and +", flags.Quoted(name))
	}
	return nil
}

// whenExpired says what becomes of a session whose credential has expired (facts, bridge 5).
const whenExpired = "then nobody can join by the relay any more, and within ten minutes who needs it loses it"

// expiring says until when relays take the names and passwords of a session that is shared.
func expiring(relays []code.Relay, now time.Time) (lines []string) {
	const longest = 365 * 24 * time.Hour
	for _, r := range relays {
		u, err := code.ParseUser(r.User)
		if left := u.Expires.Sub(now); err != nil || left < 0 || left > longest { // it will be told why it is refused, or it is for ever
			continue
		}
		r.User = ""
		lines = append(lines, fmt.Sprintf("the relay %s takes this name and password until %s: %s", r,
			u.Expires.Local().Format("15:04 on 2 January"), whenExpired))
	}
	return lines
}

// printCredential prints it.
func printCredential(std cli.Streams, o credentialObject, asJSON bool) error {
	out := cli.NewOutput(std.Out)
	if asJSON {
		out.Add(events.AppendJSON(out.Buffer(), o))
		return out.End()
	}
	fmt.Fprintf(out, "user      %s\npassword  %s\nexpires   %s: %s\n", o.User, o.Password, o.Expires, whenExpired)
	if o.Relay != "" {
		fmt.Fprintf(out, "share     dplay bridge share --relay %s\n", o.Relay)
	}
	return out.End()
}
