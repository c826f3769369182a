package main

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dplay4/cmd/dplay/internal/bridging"
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
	var o struct {
		Secret string       `flag:"auth-secret-file" usage:"the relay's secret, a <FILE>"`
		Length flags.Span   `flag:"for" usage:"for how long it is good, such as 24h or 7d"`
		Name   string       `flag:"name" default:"player" usage:"whose it is, <NAME>: the relay's log may tell it"`
		Relay  string       `flag:"relay" usage:"print it as --relay of \"dplay bridge share\" takes it, for the relay at <ADDRESS>"`
		Format flags.Choice `flag:"format" choice:"text,ndjson" usage:"write lines for people, or a JSON object a line"`
	}
	return flags.Register(&cobra.Command{
		Use:     "credential [flags] --auth-secret-file FILE --for TIME",
		Short:   "Make a name and a password for a relay",
		Long:    bridgeCredentialLong,
		Example: bridgeCredentialExamples,
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := checkCredential(o.Secret, o.Name, o.Length); err != nil {
				return err
			}
			if o.Relay != "" {
				if r, err := code.ParseRelay(o.Relay); err != nil || r.User != "" {
					return fmt.Errorf("--relay %s: want the address or the name of a relay, such as 203.0.113.5", flags.Quoted(o.Relay))
				}
			}
			secret, err := relaying.ReadSecret(o.Secret)
			if err != nil {
				return std.Told(err)
			}
			expires := time.Now().Add(o.Length.Duration)
			c := code.NewCredential(secret, o.Name, expires)
			made := credentialObject{Type: "credential", User: c.User, Password: c.Password,
				Expires: expires.UTC().Format(time.RFC3339)}
			if o.Relay != "" {
				made.Relay = c.User + ":" + c.Password + "@" + o.Relay
			}
			return std.Told(printCredential(std, made, o.Format.Value == "ndjson"))
		},
	}, &o)
}

// checkCredential refuses values out of range.
func checkCredential(file, name string, length flags.Span) error {
	const longest = 10 * 366 * 24 * time.Hour
	odd := func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(":@+", r) }
	u, err := code.ParseUser("1:" + name)
	return cmp.Or(
		flags.Refuse(file == "", "no --auth-secret-file given: what is the relay's secret?"),
		flags.Refuse(length.String() == "", "no --for given: for how long is it to be good? Such as 24h"),
		flags.Refuse(length.Duration < time.Minute || length.Duration > longest, "--for %s: from 1m to ten years", length.String()),
		flags.Refuse(name == "" || err != nil || u.Tag != "" || strings.ContainsFunc(name, odd),
			"--name %s: letters and digits, without spaces, : @ and +", flags.Quoted(name)))
}

// printCredential prints a credential.
func printCredential(std cli.Streams, o credentialObject, asJSON bool) error {
	out := cli.NewOutput(std.Out)
	if asJSON {
		out.Add(events.AppendJSON(out.Buffer(), o))
		return out.End()
	}
	fmt.Fprintf(out, "user      %s\npassword  %s\nexpires   %s: %s\n", o.User, o.Password, o.Expires, bridging.WhenExpired)
	if o.Relay != "" {
		fmt.Fprintf(out, "share     dplay bridge share --relay %s\n", o.Relay)
	}
	return out.End()
}
