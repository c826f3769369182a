package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// A choice is a flag that takes one of a list of words. It implements pflag.Value.
type choice struct {
	value   string
	allowed []string // the first one is the default
}

func newChoice(allowed ...string) choice { return choice{allowed[0], allowed} }

// String gives the word chosen.
func (c *choice) String() string { return c.value }

// Set takes a word.
func (c *choice) Set(v string) error {
	if !slices.Contains(c.allowed, v) {
		last := len(c.allowed) - 1
		return fmt.Errorf("must be %s or %s", strings.Join(c.allowed[:last], ", "), c.allowed[last])
	}
	c.value = v
	return nil
}

// Type gives what help shows for the value.
func (c *choice) Type() string { return strings.Join(c.allowed, "|") }

// addTo makes the choice a flag of a command, with completion of its words.
func (c *choice) addTo(cmd *cobra.Command, name, usage string) {
	cmd.Flags().Var(c, name, usage)
	words := c.allowed
	complete := func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return words, cobra.ShellCompDirectiveNoFileComp
	}
	if err := cmd.RegisterFlagCompletionFunc(name, complete); err != nil {
		panic(err) // only if the flag has one already
	}
}
