package draw

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// leastContrast is what WCAG 2.2 wants between small text and what is behind it (1.4.3, AA).
const leastContrast = 4.5

// luminance is the relative luminance of a colour, "#rrggbb" or "#rgb", as WCAG 2.2 defines it.
func luminance(t *testing.T, color string) float64 {
	digits := strings.TrimPrefix(color, "#")
	if len(digits) == 3 {
		digits = strings.Repeat(digits[:1], 2) + strings.Repeat(digits[1:2], 2) + strings.Repeat(digits[2:], 2)
	}
	n, err := strconv.ParseUint(digits, 16, 24)
	require.NoError(t, err, color)
	sum := 0.0
	for i, weight := range []float64{.0722, .7152, .2126} {
		v := float64(n>>(8*i)&0xff) / 255
		if v <= .04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+.055)/1.055, 2.4)
		}
		sum += weight * v
	}
	return sum
}

func contrast(t *testing.T, a, b string) float64 {
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + .05) / (min(x, y) + .05)
}

// schemes splits a style into what holds in a light scheme and in a dark one.
func schemes(style string) map[string]string {
	light, dark, _ := strings.Cut(style, "@media (prefers-color-scheme:dark)")
	return map[string]string{"light": light, "dark": dark}
}

// TestContrast holds the page's colours of text against each that may be behind them, in both schemes.
func TestContrast(t *testing.T) {
	behind := []string{"bg", "soft", "pick", "failure-bg", "warning-bg", "note-bg"}
	text := []string{"fg", "dim", "link", "failure", "warning", "note", "good", "system", "game", "ping", "failed", "again", "missed"}
	for scheme, style := range schemes(reportCSS) {
		color := map[string]string{}
		for _, m := range regexp.MustCompile(`--([a-z-]+):(#[0-9a-f]+)`).FindAllStringSubmatch(style, -1) {
			color[m[1]] = m[2]
		}
		for _, over := range text {
			for _, under := range behind {
				assert.GreaterOrEqual(t, contrast(t, color[over], color[under]), leastContrast, "%s: %s on %s", scheme, over, under)
			}
		}
	}
}

// TestContrastPicture does so for the picture. The names of commands have a rim of the background's colour; the fields and
// times may be in a row that is marked.
func TestContrastPicture(t *testing.T) {
	style := schemes(svgStyle)
	find := func(scheme, pattern string) string {
		m := regexp.MustCompile(pattern).FindStringSubmatch(style[scheme])
		if m == nil && scheme == "dark" { // the light one holds there, too
			m = regexp.MustCompile(pattern).FindStringSubmatch(style["light"])
		}
		require.NotNil(t, m, "%s: %s", scheme, pattern)
		return m[1]
	}
	for scheme := range style {
		fill := func(selector string) string {
			return find(scheme, regexp.QuoteMeta(selector)+`[^{}]*\{[^}]*fill:(#[0-9a-f]+)`)
		}
		for _, under := range []string{".dp .bg", ".dp .failure", ".dp .warning", ".dp .note", ".dp .head", ".dp .host"} {
			for _, over := range []string{".dp text", ".dp .sub", ".dp .det"} {
				assert.GreaterOrEqual(t, contrast(t, fill(over), fill(under)), leastContrast, "%s: %s on %s", scheme, over, under)
			}
		}
		for c := System; c <= Missed; c++ {
			command := fill(".dp ." + c.String() + " .cmd")
			assert.GreaterOrEqual(t, contrast(t, command, fill(".dp .bg")), leastContrast, "%s: %s", scheme, c)
		}
	}
}
