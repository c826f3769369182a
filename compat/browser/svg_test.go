package browser_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures"
	"dplay4/captures/draw"
)

// TestSVG opens a picture by itself in both schemes. No text may be wider than the picture, and the arrows' names not
// wider than their arrows.
func TestSVG(t *testing.T) {
	in, err := os.Open(capture02)
	require.NoError(t, err)
	defer in.Close()
	builder := draw.NewBuilder(draw.Options{Title: "capture 02", Findings: findings()})
	_, err = captures.Read(context.Background(), in, captures.Options{}, func(r *captures.Record) error {
		builder.Add(r)
		return nil
	}, nil)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "picture.svg")
	require.NoError(t, os.WriteFile(file, builder.Diagram().AppendSVG(nil), 0o644))
	for scheme, background := range map[string]string{"light": "rgb(255, 255, 255)", "dark": "rgb(13, 17, 23)"} {
		b := newTab(t, scheme)
		b.run(chromedp.Navigate("file://" + file))
		assert.Equal(t, background, eval[string](b, `getComputedStyle(document.querySelector(".bg")).fill`))
		assert.Equal(t, 13, eval[int](b, `document.querySelectorAll(".go").length`))
		width := eval[float64](b, `document.documentElement.width.baseVal.value`)
		assert.Less(t,
			eval[float64](b, `Math.max(...[...document.querySelectorAll("text")].map(e => e.getBBox().x + e.getBBox().width))`), width)
		assert.Empty(t, eval[[]string](b,
			`[...document.querySelectorAll(".go")].filter(g => g.querySelector(".cmd").getBBox().width > `+
				`g.querySelector(".a").getBBox().width).map(g => g.textContent)`))
		b.picture("svg-" + scheme)
		b.quiet()
	}
}
