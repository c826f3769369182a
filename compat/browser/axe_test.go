package browser_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/internal/testkit"
)

// A flaw is what axe-core says of a page: a rule, an element, and what is wrong with it.
type flaw struct {
	Rule, Kind, Target, Why string
}

// flaws has axe-core judge the page by all rules that it has on by default, and the size of what is clicked. What it
// is not sure about counts as well, but for contrast: where things lie over each other, as in the picture, it cannot
// tell; TestContrast and TestContrastPicture in package draw can.
func (b *tab) flaws(what string) {
	b.t.Helper()
	source, err := os.ReadFile(filepath.Join("axe", "axe.min.js"))
	require.NoError(b.t, err)
	b.do("if (!window.axe) { " + string(source) + "\n }")
	list := eval[[]flaw](b, `axe.run(document, {rules: {"target-size": {enabled: true}}}).then(r => ["violations", "incomplete"].flatMap(
		kind => r[kind].filter(f => kind === "violations" || f.id !== "color-contrast").flatMap(f => f.nodes.map(
			n => ({Rule: f.id, Kind: kind, Target: n.target.join(" "), Why: n.failureSummary})))))`)
	for _, f := range list {
		assert.Fail(b.t, "axe-core", "%s: %s %s at %s: %s", what, f.Kind, f.Rule, f.Target, strings.ReplaceAll(f.Why, "\n", " "))
	}
	passed := eval[int](b, `axe.run(document).then(r => r.passes.length)`)
	assert.Greater(b.t, passed, 10, "%s: rules that hold", what)
}

// widths are those of a telephone on its side, or half a screen, and of a small screen.
var widths = []int{400, 1280}

// at runs a check at each of the widths.
func (b *tab) at(check func(name string)) {
	for _, width := range widths {
		b.run(chromedp.EmulateViewport(int64(width), 900))
		check(fmt.Sprintf("%s-%d", b.scheme, width))
	}
}

// TestAxeReport has axe-core find nothing in reports: as they open, and with a message and everything that folds opened.
func TestAxeReport(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"findings": reportOf(t, capture02, findings()...),
		"reliable": reportOf(t, "../../captures/interop/ourhost-gone.pcap"),
	}
	for _, scheme := range []string{"light", "dark"} {
		b := newTab(t, scheme)
		for kind, file := range files {
			b.open(file)
			b.until(`document.querySelectorAll("#window .row").length > 10`)
			b.at(func(name string) {
				b.picture("axe-" + kind + "-" + name)
				b.flaws(kind + " " + name)
			})
			b.do(`for (const d of document.querySelectorAll("details")) d.open = true; location.hash = "#m6"`)
			b.until(`document.querySelector("#detail pre") && document.querySelector(".row.pick")`)
			b.at(func(name string) {
				b.flaws(kind + " " + name + ", opened")
				for _, part := range []string{"plots", "diagram", "messages"} {
					b.see("#" + part)
					b.picture("axe-" + part + "-" + kind + "-" + name)
				}
			})
		}
	}
}

// TestAxeSessions has axe-core find nothing in the page of "dplay sessions --serve": with a session, with one that has gone,
// and without any.
func TestAxeSessions(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "dplay")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", program, "./cmd/dplay")
	build.Dir, build.Env = "../..", append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	own := testkit.Addrs(t, 2)
	at := own[0].String()
	page := startPrinting(t, program, "http://", "sessions", at, "--bind", own[1].String(), "--serve", at+":0")
	url := page.line[strings.Index(page.line, "http"):]
	for _, scheme := range []string{"light", "dark"} {
		b := newTab(t, scheme)
		judge := func(what string) {
			b.at(func(name string) {
				b.picture("axe-sessions-" + what + "-" + name)
				b.flaws(what + " " + name)
			})
		}
		b.run(chromedp.Navigate(url))
		b.until(`document.querySelector("#state").textContent.startsWith("No sessions")`)
		judge("none")
		host := startPrinting(t, program, `"event"`, "host", "--app", "lotr2", "--name", "Castle", "--player", "Ann", "--bind", at, "--events", "ndjson")
		b.until(`document.querySelectorAll("#rows tr").length === 1`)
		judge("one")
		host.stop()
		b.until(`document.querySelector("tr.gone")`)
		b.do(`look = () => {}`) // it stays as it is while it is judged
		judge("gone")
	}
}

// A printing is a program that runs, with the line that it was waited for.
type printing struct {
	line string
	stop func()
}

// startPrinting starts a program and waits for a line of its standard output that has the words. It ends with the test.
func startPrinting(t *testing.T, program, words string, args ...string) printing {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	line := ""
	for !strings.Contains(line, words) && lines.Scan() {
		line = lines.Text()
	}
	gone := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait() // it was interrupted
		close(gone)
	}()
	stop := sync.OnceFunc(func() { cancel(); <-gone })
	t.Cleanup(stop)
	require.Contains(t, line, words, "%q: %s", args, &errs)
	return printing{line, stop}
}
