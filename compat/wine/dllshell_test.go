//go:build linux

package wine_test

import (
	"bufio"
	"context"
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fastest is what a game may pay for a look into an empty queue, in nanoseconds, where DPLAY_QUIET says that nothing else runs.
const fastest = 200

// TestDLLShell has programs use our DLL, each in a process of its own: what a poll costs, whether methods keep the processor's
// words, stacks of any alignment, a hundred loads, twenty threads, faults of the game's own, a call from another DLL's DllMain.
func TestDLLShell(t *testing.T) {
	wineTest(t)
	t.Parallel() // most of the time it waits
	for arch, commands := range map[string][]string{
		"386":   {"empty", "kept", "stacks", "loads", "threads", "handler", "early"},
		"amd64": {"empty", "kept", "loads", "threads", "handler", "early"}, // there stacks are always aligned
	} {
		t.Run(arch, func(t *testing.T) {
			t.Parallel()
			ctx, lab := newLab(t)
			w, program := newDLLMachine(ctx, t, lab, arch, "shell")
			w.put(t, dllProgram(t, arch, "early", "-shared"), dllFolder+"early.dll")
			for _, command := range commands {
				t.Run(command, func(t *testing.T) { w.shell(ctx, t, program, command) })
			}
		})
	}
}

func (w *windowsBuild) shell(ctx context.Context, t *testing.T, program, command string) {
	said, status := finished(t, w.command(ctx, program, command))
	assert.Zero(t, status, said)
	assert.Contains(t, said, command+": done")
	if command != "empty" {
		return
	}
	for _, method := range []string{"Receive", "GetMessageCount"} {
		found := regexp.MustCompile(method + ` (\d+) ns`).FindStringSubmatch(said)
		require.NotNil(t, found, said)
		cost, err := strconv.Atoi(found[1])
		require.NoError(t, err)
		t.Logf("%s: %d ns", method, cost)
		if os.Getenv("DPLAY_QUIET") != "" {
			assert.Less(t, cost, fastest)
		}
	}
}

// TestDLLText: text of the faces for 8 bits is by the code page that Windows has on a machine. Wine chooses one by the locale,
// of which the name is enough.
func TestDLLText(t *testing.T) {
	wineTest(t)
	t.Parallel()
	ctx, lab := newLab(t)
	w, program := newDLLMachine(ctx, t, lab, "386", "shell")
	for locale, page := range map[string]string{"ja_JP.UTF-8": "932", "ru_RU.UTF-8": "1251", "C.UTF-8": "1252"} {
		require.NoError(t, w.windows.Command(ctx, "mkdir", "-p", "/tmp/locales").Run())
		require.NoError(t, w.windows.Command(ctx, "cp", "-r", "/usr/lib/locale/C.utf8", "/tmp/locales/"+locale).Run())
		w.environment = append(w.environment, "LOCPATH=/tmp/locales", "LC_ALL="+locale)
		said, status := finished(t, w.command(ctx, program, "text"))
		assert.Zero(t, status, said)
		assert.Contains(t, said, "code page "+page+"\r\n")
		assert.Contains(t, said, "text: done")
	}
}

// TestDLLResolve: a game, or its player, names a host by name, and Go finds its address under Wine.
func TestDLLResolve(t *testing.T) {
	wineTest(t)
	t.Parallel()
	ctx, lab := newLab(t)
	hosting, program := newDLLMachine(ctx, t, lab, "386", "speed")
	joining, _ := newDLLMachine(ctx, t, lab, "386", "speed")
	hosts := hosting.windows.Addr().String() + " elsewhere.example\n"
	require.NoError(t, joining.windows.WriteFile("/etc/hosts", []byte(hosts)))
	host := hosting.command(ctx, program, "host", "speed")
	said, err := host.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, host.Start())
	line, err := bufio.NewReader(said).ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, line, "ready")
	out, status := finished(t, joining.command(ctx, program, "join", "elsewhere.example", "10"))
	assert.Zero(t, status, out)
	assert.Contains(t, out, `"threads"`)
	assert.NoError(t, host.Wait())
}
