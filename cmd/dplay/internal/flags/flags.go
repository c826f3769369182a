// Package flags has the types of dplay's flags that package pflag has none for. Each is a pflag.Value.
package flags

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var (
	_ pflag.Value = (*Address)(nil)
	_ pflag.Value = (*App)(nil)
	_ pflag.Value = (*Choice)(nil)
	_ pflag.Value = (*Event)(nil)
	_ pflag.Value = (*Faults)(nil)
	_ pflag.Value = (*Ports)(nil)
	_ pflag.Value = (*Readings)(nil)
	_ pflag.Value = (*Session)(nil)
	_ pflag.Value = (*Span)(nil)
	_ pflag.Value = (*Text)(nil)
)

// NoFiles keeps shells from offering files for what is none.
func NoFiles(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		Complete(cmd, name, cobra.ShellCompDirectiveNoFileComp)
	}
}

// Complete has shells offer words for a flag, or what the directive says.
func Complete(cmd *cobra.Command, name string, directive cobra.ShellCompDirective, words ...string) {
	if err := cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, directive)); err != nil {
		panic(err) // only if the flag has one already
	}
}
