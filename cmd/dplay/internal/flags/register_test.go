package flags

import (
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRegister makes flags of the fields of structs, and looks at the help, the values, and what shells offer.
func TestRegister(t *testing.T) {
	type timing struct {
		Wait time.Duration `flag:"wait" default:"5s" usage:"wait for this <TIME>"`
	}
	var o struct {
		Name    string   `flag:"name,n" usage:"be called <NAME>"`
		Format  Choice   `flag:"format" choice:"text,json" usage:"the format"`
		Rule    Choice   `flag:"rule" choice:"a,b" shown:"" usage:"the rule"`
		Times   timing   `flags:"later: "`
		Picture string   `flag:"picture" offer:"svg" usage:"write <FILE>"`
		Folder  string   `flag:"folder" usage:"look into <DIR>"`
		Old     bool     `flag:"old" default:"true" deprecated:"it is the default" exclusive:"name"`
		Ask     Bool     `flag:"ask" usage:"ask"`
		Ports   PortList `flag:"port" usage:"take <PORT>"`
		Secret  string   `flag:"secret" hidden:"true"`
		Plain   int
		Rows    int           `flag:"rows" range:"1" must:"from 1" usage:"<N>"`
		Pace    float64       `flag:"pace" default:"2" range:"0.5,4" must:"from a half to 4" usage:"<N>"`
		Short   time.Duration `flag:"short" default:"3s" range:"1ns,1m" must:"at most a minute" usage:"<TIME>"`
	}
	cmd := &cobra.Command{Use: "x", Run: func(*cobra.Command, []string) {}}
	Register(cmd, &o)
	assert.Equal(t, `  -n, --name NAME          be called NAME
      --format text|json   the format (default text)
      --rule a|b           the rule
      --wait TIME          later: wait for this TIME (default 5s)
      --picture FILE       write FILE
      --folder DIR         look into DIR
      --ask                ask
      --port PORT          take PORT
      --rows N             N
      --pace N             N (default 2)
      --short TIME         TIME (default 3s)
`, cmd.Flags().FlagUsages())
	assert.True(t, o.Old)
	assert.Equal(t, 5*time.Second, o.Times.Wait)
	require.NoError(t, cmd.ParseFlags([]string{"-n", "Ann", "--format", "json", "--ask", "--port", "1,2", "--port", "3", "--wait", "1m"}))
	assert.Equal(t, []any{"Ann", "json", Bool{true, true}, PortList{1, 2, 3}, time.Minute}, []any{o.Name, o.Format.Value, o.Ask, o.Ports, o.Times.Wait})
	assert.NoError(t, cmd.ValidateFlagGroups())
	require.NoError(t, cmd.ParseFlags([]string{"--old"}))
	assert.Error(t, cmd.ValidateFlagGroups())
	for name, want := range map[string]cobra.ShellCompDirective{
		"name": cobra.ShellCompDirectiveNoFileComp, "format": cobra.ShellCompDirectiveNoFileComp,
		"picture": cobra.ShellCompDirectiveFilterFileExt, "folder": cobra.ShellCompDirectiveFilterDirs,
	} {
		offer, ok := cmd.GetFlagCompletionFunc(name)
		require.True(t, ok, name)
		words, got := offer(cmd, nil, "")
		assert.Equal(t, want, got, name)
		if name == "format" {
			assert.Equal(t, []cobra.Completion{"text", "json"}, words)
		}
	}
	assert.Panics(t, func() {
		Register(cmd, &struct {
			Odd complex64 `flag:"odd"`
		}{})
	})
	assert.Zero(t, o.Rows)
	assert.Equal(t, 3*time.Second, o.Short)
	for line, want := range map[string]string{
		"--rows=0": "--rows 0: from 1", "--rows=x": "--rows x: it takes a whole number, such as 3", "--pace=NaN": "--pace NaN: from a half to 4",
		"--pace=0.4": "--pace 0.4: from a half to 4", "--pace=1e1": "--pace 10: from a half to 4", "--short=0": "--short 0s: at most a minute",
		"--short=61s": "--short 1m1s: at most a minute", "--rows=9999999": "", "--pace=4": "", "--short=1m": "",
	} {
		if err := Explain(cmd, cmd.ParseFlags([]string{line})); want == "" {
			assert.NoError(t, err, line)
		} else {
			assert.EqualError(t, err, want)
		}
	}
}
