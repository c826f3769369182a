//go:build linux

package wine_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
)

// servers returns which DLLs of DirectPlay the registry names to programs that ask COM, as the program reg shows them.
func (w *windowsBuild) servers(ctx context.Context, t *testing.T) string {
	t.Helper()
	var all string
	for _, class := range []string{"{D1EB6D20-8923-11D0-9D97-00A0C90A43CB}", "{2FE8F810-B2A5-11D0-A787-0000F803ABFC}"} {
		out, status := finished(t, w.command(ctx, "reg", "query", `HKLM\Software\Classes\CLSID\`+class+`\InprocServer32`))
		assert.Zero(t, status, out)
		all += out
	}
	return all
}

// TestDLLRegister has regsvr32 register our DLL twice, with the second time where it already is, and take it away again: what was
// there before is there then.
func TestDLLRegister(t *testing.T) {
	wineTest(t)
	t.Parallel()
	ctx, lab := newLab(t)
	w := new(windowsBuild)
	w.boot(ctx, t, lab, "386")
	w.putDLLs(ctx, t, "386", dllProgram(t, "386", "launcher", "-ldxguid"))
	before := w.servers(ctx, t)
	assert.Contains(t, before, `system32\dplayx.dll`)
	assert.NotContains(t, before, windowsFolder)
	for range 2 {
		out, status := finished(t, w.command(ctx, "regsvr32", "/s", windowsFolder+"dplayx.dll"))
		assert.Zero(t, status, out)
		assert.Regexp(t, `(?s)\Q`+windowsFolder+`dplayx.dll\E.*\Q`+windowsFolder+`dplayx.dll\E`, w.servers(ctx, t))
	}
	out, status := finished(t, w.command(ctx, "regsvr32", "/s", "/u", windowsFolder+"dplayx.dll"))
	assert.Zero(t, status, out)
	assert.Equal(t, before, w.servers(ctx, t))
}
