package browser_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
)

// press presses keys, one after the other.
func (b *tab) press(keys ...string) {
	b.t.Helper()
	for _, k := range keys {
		b.run(chromedp.KeyEvent(k))
	}
}

// TestKeyboardDiagram walks through the diagram with the keyboard alone: Tab reaches it, arrows move a focus that is seen,
// Enter shows the message that a click shows, Escape comes back to its row.
func TestKeyboardDiagram(t *testing.T) {
	t.Parallel()
	for _, scheme := range []string{"light", "dark"} {
		b := newTab(t, scheme)
		b.open(reportOf(t, "../../captures/interop/ourhost-gone.pcap"))
		rows := eval[int](b, `document.querySelectorAll("#picture .go").length`)
		assert.Greater(t, rows, 30)
		focused := `document.activeElement.closest("#picture .go")`
		row := func() int { return eval[int](b, `[...document.querySelectorAll("#picture .go")].indexOf(`+focused+`)`) }
		b.run(chromedp.Focus(chromedp.CSS("#picture")))
		b.press(kb.Tab)
		assert.Equal(t, 0, row(), "the first row comes after the diagram")
		b.press(kb.ArrowDown, kb.ArrowDown, kb.ArrowDown, kb.ArrowUp)
		assert.Equal(t, 2, row())
		seen := `(e => [getComputedStyle(e).stroke, getComputedStyle(e).strokeWidth])(` + focused + `.querySelector(".hit"))`
		assert.Equal(t, []string{map[string]string{"light": "rgb(11, 92, 173)", "dark": "rgb(116, 192, 252)"}[scheme], "3px"}, eval[[]string](b, seen))
		b.picture("keyboard-" + scheme)
		inSight := `(r => { const p = document.querySelector("#picture").getBoundingClientRect();
			return r.top >= p.top + document.querySelector("#picture .heads").offsetHeight - 1 && r.bottom <= p.bottom })(` +
			focused + `.querySelector(".hit").getBoundingClientRect())`
		for _, key := range []string{kb.End, kb.PageUp, kb.PageUp, kb.Home, kb.PageDown, kb.PageDown} {
			b.press(key)
			assert.True(t, eval[bool](b, inSight), "after %q at row %d", key, row())
		}
		assert.Equal(t, 20, row())
		name := eval[string](b, focused+`.querySelector("title").textContent`)
		assert.Regexp(t, `^[0-9.]+ s, messages? [0-9]+.* from .+ to .+: .+`, name, "what a screen reader says")
		n := eval[string](b, focused+`.dataset.n`)
		b.press(kb.Enter)
		b.until(`document.querySelector("#detail h3") && document.querySelector("#detail h3").textContent.startsWith("Message ` + n + `:")`)
		assert.Equal(t, "list", eval[string](b, `document.activeElement.id`))
		b.press(kb.Escape)
		assert.Equal(t, 20, row(), "back")
		b.press(kb.Tab)
		assert.Equal(t, -1, row(), "Tab leaves the diagram")
		b.quiet()
	}
}

// TestKeyboardLegend hides a line of a plot with the keyboard, and shows it again.
func TestKeyboardLegend(t *testing.T) {
	t.Parallel()
	b := newTab(t, "light")
	b.open(reportOf(t, "../../captures/interop/ourhost-gone.pcap"))
	const label = `#plot-messages .u-legend .u-label[role=button]`
	pressed := `document.querySelector("` + label + `").getAttribute("aria-pressed")`
	assert.Equal(t, "true", eval[string](b, pressed))
	b.run(chromedp.Focus(chromedp.CSS(label)))
	b.press(kb.Enter)
	assert.Equal(t, "false", eval[string](b, pressed))
	assert.True(t, eval[bool](b, `document.querySelector("`+label+`").closest(".u-series").classList.contains("u-off")`))
	b.press(" ")
	assert.Equal(t, "true", eval[string](b, pressed))
	assert.Contains(t, eval[string](b, `document.querySelector("#plot-messages .u-wrap").getAttribute("aria-label")`), "plot: Messages a second, by sender")
	b.quiet()
}
