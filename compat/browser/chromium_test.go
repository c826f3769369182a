package browser_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/internal/testkit"
)

// findChromium gives the program, or skips the test.
func findChromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("DPLAY_REQUIRE_CHROMIUM") != "" {
		t.Fatal("DPLAY_REQUIRE_CHROMIUM is set and there is no chromium: apt-get install chromium")
	}
	t.Skip("no chromium on this machine: apt-get install chromium")
	return ""
}

// A tab is a page in Chromium, with everything that it complained about.
type tab struct {
	t      *testing.T
	ctx    context.Context
	scheme string

	mu         sync.Mutex
	complaints []string
	requests   []string
}

// newTab starts Chromium with a new profile. The scheme is "light" or "dark".
func newTab(t *testing.T, scheme string) *tab {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(findChromium(t)), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("hide-scrollbars", false), chromedp.WindowSize(1500, 1000), chromedp.UserDataDir(t.TempDir()),
		chromedp.Env("TMPDIR="+t.TempDir()))
	ctx, end := chromedp.NewExecAllocator(testkit.Context(t), options...)
	t.Cleanup(end)
	ctx, end = chromedp.NewContext(ctx)
	t.Cleanup(end)
	b := &tab{t: t, ctx: ctx, scheme: scheme}
	require.NoError(t, chromedp.Listen(ctx, b.hear))
	_, err := chromedp.Call(ctx, log.Enable, cdp.Empty{})
	require.NoError(t, err)
	_, err = chromedp.Call(ctx, page.Enable, page.EnableParams{})
	require.NoError(t, err)
	_, err = chromedp.Call(ctx, network.Enable, network.EnableParams{})
	require.NoError(t, err)
	_, err = chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
	require.NoError(t, err)
	return b
}

// hear notes what Chromium tells of the page.
func (b *tab) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.complaints = append(b.complaints, describe(e.ExceptionDetails))
	case *runtime.EventConsoleAPICalled:
		b.complaints = append(b.complaints, "console: "+string(e.Type)) // the page writes nothing there
	case *log.EventEntryAdded:
		b.complaints = append(b.complaints, string(e.Entry.Level)+": "+e.Entry.Text)
	case *page.EventJavascriptDialogOpening:
		b.complaints = append(b.complaints, "dialog: "+e.Message)
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	}
}

func (b *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	require.NoError(b.t, chromedp.Do(b.ctx, actions...), "complaints: %q", b.heard())
}

// heard returns the complaints so far.
func (b *tab) heard() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.complaints)
}

// open opens a file and waits until the list of messages is whole.
func (b *tab) open(file string) {
	b.t.Helper()
	b.run(chromedp.Navigate("file://" + file))
	b.until("window.dplayReport && dplayReport.ready && !dplayReport.error")
}

// eval returns the value of an expression.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	require.NoError(b.t, err, "complaints: %q", b.heard())
	return v
}

// do runs a statement in the page.
func (b *tab) do(statement string) {
	b.t.Helper()
	eval[bool](b, "(() => { "+statement+"; return true })()")
}

// until waits for an expression to be true.
func (b *tab) until(expression string) {
	b.t.Helper()
	_, err := chromedp.Run(b.ctx, chromedp.Poll[bool]("Boolean("+expression+")", chromedp.WithPollingTimeout(0)))
	if err != nil {
		count := eval[string](b, `(e => e ? e.textContent : "no list")(document.querySelector("#count"))`)
		require.NoError(b.t, err, "waiting for %s; the list says %q; complaints: %q", expression, count, b.heard())
	}
}

// click clicks the first element that a selector finds, where it is.
func (b *tab) click(selector string) {
	b.t.Helper()
	b.run(chromedp.ScrollIntoView(chromedp.CSS(selector)), chromedp.Click(chromedp.CSS(selector)))
}

// see brings an element into sight.
func (b *tab) see(selector string) {
	b.t.Helper()
	b.run(chromedp.ScrollIntoView(chromedp.CSS(selector)))
}

// typeInto types into an input, in place of what is there.
func (b *tab) typeInto(selector, text string) {
	b.t.Helper()
	b.do("const e = document.querySelector('" + selector + "'); e.focus(); e.select()")
	b.run(chromedp.KeyEvent(text))
}

// text returns the text of an element.
func (b *tab) text(selector string) string {
	b.t.Helper()
	s, err := chromedp.Run(b.ctx, chromedp.TextContent(chromedp.CSS(selector)))
	require.NoError(b.t, err)
	return s
}

// quiet checks that there was no complaint, and no request but for the file itself.
func (b *tab) quiet() {
	b.t.Helper()
	assert.Empty(b.t, b.heard())
	b.mu.Lock()
	defer b.mu.Unlock()
	assert.NotEmpty(b.t, b.requests)
	for _, r := range b.requests {
		assert.True(b.t, strings.HasPrefix(r, "file://"), "asked for %s", r)
	}
}

// picture takes a screenshot if somebody wants to look at it.
func (b *tab) picture(name string) {
	b.t.Helper()
	dir := os.Getenv("DPLAY_SCREENSHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	require.NoError(b.t, err)
	require.NoError(b.t, os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644))
}

// describe returns an exception that nothing caught.
func describe(e *runtime.ExceptionDetails) string {
	if e.Exception != nil {
		return e.Text + " " + e.Exception.Description
	}
	return e.Text
}
