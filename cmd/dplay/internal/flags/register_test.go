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
}
