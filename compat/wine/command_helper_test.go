package wine

import (
	"fmt"
	"strings"
)

// A Command is one line for the client: a name, words, options. README.md lists them.
type Command struct {
	name string
	rest string
}

// Cmd makes a command. The words may hold anything but line ends and NUL.
func Cmd(name string, words ...string) Command {
	c := Command{name: name}
	for _, w := range words {
		c.rest += " " + quote(w)
	}
	return c
}

// With returns the command with an option that has a value.
func (c Command) With(option string, value any) Command {
	c.rest += " " + option + "=" + quote(fmt.Sprint(value))
	return c
}

// Flag returns the command with an option that has no value.
func (c Command) Flag(option string) Command {
	c.rest += " " + option
	return c
}

// String returns the line.
func (c Command) String() string { return c.name + c.rest }

// maxLine is the client's MAX_LINE, less the end of the line.
const maxLine = 512*1024 - 1

// line returns the octets to be written, or why they cannot be.
func (c Command) line() ([]byte, error) {
	s := c.String()
	switch {
	case c.name == "" || strings.ContainsAny(c.name, " \t\"#"):
		return nil, fmt.Errorf("command %q: not a name", c.name)
	case strings.ContainsAny(s, "\n\x00"):
		return nil, fmt.Errorf("command %s: a word holds the end of a line", c.name)
	case len(s) > maxLine:
		return nil, fmt.Errorf("command %s: %d octets are too many for a line", c.name, len(s))
	}
	return []byte(s + "\n"), nil
}

// quote puts a word in quotes, where the client takes it for nothing but a word.
func quote(w string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(w) + `"`
}
