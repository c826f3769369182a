package flags

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dplay4/cmd/dplay/internal/cli"
)

// taken says what flags of the types of package pflag take, with an example. Their own errors speak Go.
var taken = map[string]string{
	"bool":     "nothing, or true or false",
	"duration": "a time with its unit, such as 500ms, 60s, 5m or 1h30m",
	"float64":  "a number, such as 2.5",
	"int":      "a whole number, such as 3",
	"int64":    "a whole number, such as 3",
	"uint":     "a whole number from 0, such as 3",
	"uint16":   "a whole number from 0 to 65535, such as 3478",
	"uint32":   "a whole number from 0, such as 3",
	"uint64":   "a whole number from 0, such as 3",
}

// Explain returns what is wrong with a flag of a command in words for who typed it. It is for cobra's SetFlagErrorFunc.
func Explain(cmd *cobra.Command, err error) error {
	switch e := err.(type) {
	case *pflag.NotExistError:
		return explainUnknown(cmd, e)
	case *pflag.ValueRequiredError:
		return fmt.Errorf("--%s needs a value: %s", e.GetFlag().Name, wanted(e.GetFlag()))
	case *pflag.InvalidValueError:
		value, kind, why := Quoted(e.GetValue()), e.GetFlag().Value.Type(), e.Unwrap()
		if out, ok := why.(outside); ok {
			value = out.number
		} else if taken[kind] != "" {
			why = errors.New(refused(kind, e.GetValue(), why))
		}
		return fmt.Errorf("--%s %s: %w", e.GetFlag().Name, value, why)
	}
	return err
}

// Quoted returns a value as a shell would want it, where that is more than the bare word.
func Quoted(value string) string {
	if value == "" || strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || !strconv.IsPrint(r) }) {
		return strconv.Quote(value)
	}
	return value
}

// wanted says what a flag takes.
func wanted(flag *pflag.Flag) string {
	word, _ := pflag.UnquoteUsage(flag)
	return cmp.Or(taken[flag.Value.Type()], word)
}

// refused says why a flag of package pflag does not take a value.
func refused(kind, value string, err error) string {
	takes := "it takes " + taken[kind]
	number, _ := strconv.ParseFloat(value, 64)
	switch {
	case kind == "duration" && number > 0:
		return fmt.Sprintf("a unit is missing: %ss for seconds, %sm for minutes", value, value)
	case strings.HasPrefix(kind, "uint") && number < 0:
		return "must not be negative; " + takes
	case errors.Is(err, strconv.ErrRange):
		return "is out of range; " + takes
	}
	return takes
}

// codeGroup matches what a code of a bridged session goes on with.
var codeGroup = regexp.MustCompile(`^[0-9A-Z]{1,4}(-|$)|^[0-9a-z]{4}-`)

// explainUnknown says which flag may have been meant, and which command has the one that was given.
func explainUnknown(cmd *cobra.Command, unknown *pflag.NotExistError) error {
	name := unknown.GetSpecifiedName()
	if letters := unknown.GetSpecifiedShortnames(); letters != "" {
		if codeGroup.MatchString(letters) && cmd.Name() == "join" {
			return fmt.Errorf("-%s is taken for a flag. If it is the rest of a code, leave its first dash away", letters)
		}
		meant := ""
		if cmd.Flags().Lookup(letters) != nil {
			meant = fmt.Sprintf(": did you mean \"--%s\"? Long flags have two dashes", letters)
		}
		return fmt.Errorf("unknown flag: -%s%s", name[:1], meant)
	}
	var own []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			own = append(own, "--"+f.Name)
		}
	})
	slices.Sort(own)
	meant := cli.Nearest("--"+name, own)
	if others := with(name, cmd.Root()); meant == "" && len(others) > 0 {
		meant = ": it is one of " + strings.Join(others, ", ")
	}
	return fmt.Errorf("unknown flag: --%s%s", name, meant)
}

// with returns the commands that have a flag, of one and of all below it.
func with(flag string, cmd *cobra.Command) (paths []string) {
	if f := cmd.LocalFlags().Lookup(flag); f != nil && !f.Hidden {
		paths = append(paths, cmd.CommandPath())
	}
	for _, below := range cmd.Commands() {
		paths = append(paths, with(flag, below)...)
	}
	return paths
}
