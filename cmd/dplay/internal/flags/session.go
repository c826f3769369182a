package flags

import (
	"slices"

	"github.com/spf13/cobra"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/wire"
)

// A Session is the flags of a session: names with commas between.
type Session struct{ wire.SessionFlags }

// SessionNames returns the names of all flags, in lower case, by their bits.
func SessionNames() []string { return cli.SessionNames() }

func (f *Session) offers() []cobra.Completion {
	return slices.DeleteFunc(SessionNames(), func(name string) bool { return name == "" })
}

// String returns the names.
func (f *Session) String() string {
	if f.SessionFlags == 0 {
		return ""
	}
	return cli.SessionFlagsText(f.SessionFlags)
}

// Set takes names; repeated flags add up.
func (f *Session) Set(s string) error {
	got, err := cli.ParseSessionFlags(s)
	f.SessionFlags |= got
	return err
}

// Type returns what help shows for the value.
func (f *Session) Type() string { return "NAME,..." }
