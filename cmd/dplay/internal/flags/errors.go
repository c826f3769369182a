package flags

import (
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
	var unknown *pflag.NotExistError
	var bare *pflag.ValueRequiredError
	var bad *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		return explainUnknown(cmd, unknown)
	case errors.As(err, &bare):
		flag := bare.GetFlag()
		return fmt.Errorf("--%s needs a value: %s", flag.Name, wanted(flag))
	case errors.As(err, &bad):
		flag, value := bad.GetFlag(), bad.GetValue()
		if _, ours := taken[flag.Value.Type()]; !ours {
			return fmt.Errorf("--%s %s: %w", flag.Name, Quoted(value), bad.Unwrap())
		}
		return fmt.Errorf("--%s %s: %s", flag.Name, Quoted(value), refused(flag, value))
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
	if text := taken[flag.Value.Type()]; text != "" {
		return text
	}
	word, _ := pflag.UnquoteUsage(flag)
	return word
}

// refused says why a flag of package pflag does not take a value.
func refused(flag *pflag.Flag, value string) string {
	takes := taken[flag.Value.Type()]
	number, numberErr := strconv.ParseFloat(value, 64)
	kind := flag.Value.Type()
	switch {
	case kind == "duration" && numberErr == nil && number > 0:
		return fmt.Sprintf("a unit is missing: %ss for seconds, %sm for minutes", value, value)
	case kind == "duration", kind == "bool":
	case numberErr == nil && number < 0 && strings.HasPrefix(kind, "uint"):
		return "must not be negative; it takes " + takes
	case numberErr == nil && !strings.ContainsAny(value, ".eExXpP") || errors.Is(numberErr, strconv.ErrRange):
		return "is out of range; it takes " + takes
	}
	return "it takes " + takes
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
		text := fmt.Sprintf("unknown flag: -%s", name[:1])
		if known := cmd.Flags().Lookup(letters); known != nil {
			text += fmt.Sprintf(": did you mean \"--%s\"? Long flags have two dashes", letters)
		}
		return errors.New(text)
	}
	var own, others []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			own = append(own, "--"+f.Name)
		}
	})
	var look func(*cobra.Command)
	look = func(other *cobra.Command) {
		if f := other.LocalFlags().Lookup(name); f != nil && !f.Hidden && other != cmd {
			others = append(others, other.CommandPath())
		}
		for _, below := range other.Commands() {
			look(below)
		}
	}
	look(cmd.Root())
	slices.Sort(own)
	meant := cli.Nearest("--"+name, own)
	if meant == "" && len(others) > 0 {
		meant = ": it is one of " + strings.Join(others, ", ")
	}
	return fmt.Errorf("unknown flag: --%s%s", name, meant)
}
