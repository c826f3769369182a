package flags

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// A Choice is one of a list of words.
type Choice struct {
	Value   string
	allowed []string // the first one is the default
}

// NewChoice returns a choice between words, the first one as long as none was chosen.
func NewChoice(allowed ...string) Choice { return Choice{allowed[0], allowed} }

// String returns the word chosen.
func (c *Choice) String() string { return c.Value }

// Set takes a word.
func (c *Choice) Set(v string) error {
	if !slices.Contains(c.allowed, v) {
		last := len(c.allowed) - 1
		return fmt.Errorf("must be %s or %s", strings.Join(c.allowed[:last], ", "), c.allowed[last])
	}
	c.Value = v
	return nil
}

// Type returns what help shows for the value.
func (c *Choice) Type() string { return strings.Join(c.allowed, "|") }

func (c *Choice) choose(words []string) { c.Value, c.allowed = words[0], words }

func (c *Choice) offers() []cobra.Completion { return c.allowed }

// AddTo makes the choice a flag of a command, with completion of its words.
func (c *Choice) AddTo(cmd *cobra.Command, name, usage string) {
	cmd.Flags().Var(c, name, usage)
	Complete(cmd, name, cobra.ShellCompDirectiveNoFileComp, c.allowed...)
}
