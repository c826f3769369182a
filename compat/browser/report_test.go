package browser_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/captures/doctor"
	"dplay4/captures/draw"
)

// TestOpens opens a report in both schemes: everything is there, and Chromium has nothing to complain about.
func TestOpens(t *testing.T) {
	file := reportOf(t, capture02, findings()...)
	background := map[string]string{}
	for _, scheme := range []string{"light", "dark"} {
		b := newTab(t, scheme)
		b.open(file)
		assert.Equal(t, "13 messages", b.text("#count"))
		players := b.text("#players")
		assert.Contains(t, players, `"HostGuy"`)
		assert.Contains(t, players, `"W10"`)
		heads := b.text("#diagram .heads")
		assert.Contains(t, heads, `"HostGuy"`)
		assert.Contains(t, heads, `"W10"`)
		assert.Equal(t, 13, eval[int](b, `document.querySelectorAll("#diagram .go").length`))
		assert.Equal(t, 3, eval[int](b, `document.querySelectorAll("#diagram [data-finding]").length`), "findings in the picture")
		b.until(`document.querySelectorAll("#window .row").length === 13`) // rows are drawn in the next frame
		assert.Equal(t, 2,
			eval[int](b, `[...document.querySelectorAll("#plots canvas")].filter(c => c.width > 300 && c.height > 200).length`))
		assert.Contains(t, b.text("#plot-trips"), "Nothing was answered.")
		background[scheme] = eval[string](b, `getComputedStyle(document.body).backgroundColor`)
		b.picture("report-" + scheme)
		b.see("#plots")
		b.picture("report-plots-" + scheme)
		b.quiet()
	}
	assert.Equal(t, map[string]string{"light": "rgb(255, 255, 255)", "dark": "rgb(13, 17, 23)"}, background)
}

// TestJumps goes from a finding to its message, from the picture to a message, and by the address of the page.
func TestJumps(t *testing.T) {
	b := newTab(t, "light")
	file := reportOf(t, capture02, findings()...)
	b.open(file)
	b.click(`#finding1 a[data-n="6"]`)
	b.until(`document.querySelector("#detail h3") && document.querySelector("#detail pre").textContent.includes("PackedOffset: ` +
		`136")`)
	detail := b.text("#detail")
	assert.Contains(t, detail, "Message 6: SUPERENUMPLAYERSREPLY")
	assert.Contains(t, detail, "the list of players is <wrong>")
	b.until(`document.querySelector(".row.pick") && ` +
		`document.querySelector(".row.pick").textContent.includes("SUPERENUMPLAYERSREPLY")`)
	b.until(`(r => r.top >= 0 && r.bottom <= innerHeight)(document.querySelector(".row.pick").getBoundingClientRect())`) // in sight
	b.picture("report-jump")

	b.click(`#diagram .go[data-n="9"] text`)
	b.until(`document.querySelector("#detail h3").textContent === "Message 9: CREATEPLAYER"`)
	b.do(`location.hash = "#m13"`)
	b.until(`document.querySelector("#detail h3").textContent === "Message 13: PLAYERMESSAGE"`)
	b.run(chromedp.Focus(chromedp.CSS("#list")), chromedp.KeyEvent(kb.ArrowUp))
	b.until(`document.querySelector("#detail h3").textContent === "Message 12: PLAYERMESSAGE"`)
	b.quiet()

	b = newTab(t, "light")
	b.open(file + "#m5")
	b.until(`document.querySelector("#detail h3") && document.querySelector("#detail h3").textContent === "Message 5: ` +
		`ADDFORWARDREQUEST"`)
	b.quiet()
}

// TestFilters searches the list, by words, machine, command and findings, and goes to a message that the filter hides.
func TestFilters(t *testing.T) {
	b := newTab(t, "dark")
	b.open(reportOf(t, capture02, findings()...))
	b.typeInto("#q", "w10 PLAYERmessage")
	b.until(`document.querySelector("#count").textContent === "4 of 13 messages"`)
	b.typeInto("#q", "from=0x000003e9 to=all")
	b.until(`document.querySelector("#count").textContent === "2 of 13 messages"`)
	b.until(`document.querySelectorAll("#window .row").length === 2`)
	b.click(`#finding1 a[data-n="6"]`) // which the filter hides
	b.until(`document.querySelector(".row.pick") && document.querySelector("#count").textContent === "13 messages"`)

	b.click("#marked")
	b.until(`document.querySelector("#count").textContent === "3 of 13 messages"`)
	b.until(`document.querySelectorAll(".row.m-failure").length === 1 && document.querySelectorAll(".row.m-warning").length === 2`)
	b.click(`#filter button[type=reset]`)
	b.until(`document.querySelector("#count").textContent === "13 messages"`)
	choose := func(id, text string) {
		b.do(`(s => { s.value = [...s.options].find(o => o.textContent.includes("` + text +
			`")).value; s.dispatchEvent(new Event("change")) })(document.getElementById("` + id + `"))`)
	}
	choose("command", "CREATEPLAYER")
	b.until(`document.querySelector("#count").textContent === "1 of 13 messages"`)
	choose("command", "all")
	choose("lane", "255.255.255.255")
	b.until(`document.querySelector("#count").textContent === "1 of 13 messages"`)
	b.until(`document.querySelector("#window").textContent.includes("ENUMSESSIONS")`)
	b.quiet()
}

// TestNarrow opens reports in the window of a telephone: no table is wider than that, and each value has its title beside it.
func TestNarrow(t *testing.T) {
	b := newTab(t, "light")
	b.open(report(t, madeUp(t, strings.Repeat("Ann ", 7), strings.Repeat("Bob ", 7), 400), draw.Options{Title: "x"}))
	b.do(`document.querySelectorAll("details").forEach(d => d.open = true)`)
	for _, width := range []int{320, 400, 700} {
		b.run(chromedp.EmulateViewport(int64(width), 900))
		assert.Empty(t, eval[[]string](b, `[...document.querySelectorAll("main .wide")].filter(w => w.scrollWidth > w.clientWidth).map(
			w => w.innerText + w.scrollWidth)`), "%d", width)
		assert.Empty(t, eval[[]string](b, `(r => r.scrollWidth <= r.clientWidth ? [] : [...document.querySelectorAll("main *")].filter(
			e => e.getBoundingClientRect().right > r.clientWidth && !e.closest(".picture, .list, .detail")).map(
			e => e.tagName + "." + e.className + " " + e.getBoundingClientRect().right))(document.documentElement)`), "%d: the page itself", width)
		assert.Empty(t, eval[[]string](b, `[...document.querySelectorAll("main .wide td")].filter(d => d.dataset.h && !getComputedStyle(d,
			"::before").content.includes(d.dataset.h)).map(d => d.innerText)`))
		assert.Greater(t, eval[int](b, `document.querySelectorAll("main .wide td[data-h]").length`), 10)
		b.picture(fmt.Sprintf("narrow-%d", width))
	}
	b.quiet()
}

// TestHostileNames opens a report of players whose names would be markup or script if they were not escaped.
func TestHostileNames(t *testing.T) {
	names := []string{`</script><script>alert(1)</script>`, `--><img src=x onerror=alert(2)><svg onload=alert(3)>{{.}}"'&#x41;`}
	findings := []doctor.Finding{{Severity: doctor.Failure, Code: `<b>`, Text: `</title></script><script>alert(4)</script>`,
		Cause: `<img src=x onerror=alert(5)>`, Evidence: []doctor.Evidence{{N: 1, Value: `</style><script>alert(6)</script>`}}}}
	b := newTab(t, "light")
	b.open(report(t, madeUp(t, names[0], names[1], 40),
		draw.Options{Title: `</title><script>alert(7)</script>`, Findings: findings}))
	players := b.text("#players")
	for _, n := range names {
		n = eval[string](b, `(s => s.replaceAll('"', '\\"'))(`+"`"+n+"`"+`)`) // names stand in quotes
		assert.Contains(t, players, n)
	}
	assert.Contains(t, b.text("#finding1"), `</title></script><script>alert(4)</script>`)
	assert.Equal(t, 0, eval[int](b, `document.querySelectorAll("img").length`))
	b.click(`#finding1 a[data-n="1"]`)
	b.until(`document.querySelector("#detail pre") && document.querySelector("#detail pre").textContent.includes("alert(1)")`)
	b.picture("report-hostile")
	b.quiet()
}

// A large report has so many messages.
const largeMessages = 100_000

// longestTask is the largest part of the time until everything is there in which the page may not react, where DPLAY_QUIET says that
// nothing else runs.
const longestTask = 0.5

// TestLarge opens a report of 100,000 messages: it is seen before everything is there, and keeps few rows in the page.
func TestLarge(t *testing.T) {
	began := time.Now()
	file := report(t, madeUp(t, "Ann", "Bob", largeMessages), draw.Options{Title: "large"})
	info, err := os.Stat(file)
	require.NoError(t, err)
	t.Logf("written in %v, %d octets", time.Since(began).Round(time.Millisecond), info.Size())
	b := newTab(t, "light")
	began = time.Now()
	b.open(file)
	took := float64(time.Since(began).Milliseconds())
	b.do(`window.longest = 0; new PerformanceObserver(l => { for (const e of l.getEntries()) longest = Math.max(longest, ` +
		`e.duration); }).observe({type: "longtask", buffered: true})`)
	b.until(`performance.getEntriesByName("first-contentful-paint").length`)
	paint := eval[float64](b, `performance.getEntriesByName("first-contentful-paint")[0].startTime`)
	longest := eval[float64](b, `new Promise(done => setTimeout(() => done(longest), 100))`)
	t.Logf("first paint after %.0f ms, all messages after %.0f ms, longest task %.0f ms", paint, took, longest)
	assert.Less(t, paint, took)
	if os.Getenv("DPLAY_QUIET") != "" {
		assert.Less(t, longest/took, longestTask)
	}
	assert.Equal(t, "100,000 messages", b.text("#count"))
	assert.Less(t, eval[int](b, `document.querySelectorAll("*").length`), 15000)

	began = time.Now()
	b.typeInto("#q", "needle hay")
	b.until(`document.querySelector("#count").textContent === "100 of 100,000 messages"`)
	t.Logf("searched in %v", time.Since(began).Round(time.Millisecond))
	b.do(`location.hash = "#m99999"`)
	b.until(`document.querySelector("#detail h3") && document.querySelector("#detail h3").textContent.startsWith("Message 99999:")`)
	b.until(`document.querySelector(".row.pick") && document.querySelector(".row.pick").textContent.startsWith("99999")`)
	assert.Less(t, eval[int](b, `document.querySelectorAll("#window .row").length`), 120)
	b.until(`document.querySelectorAll("#plots canvas").length === 3`)
	b.picture("report-large")
	b.see("#plots")
	b.picture("report-large-plots")
	b.quiet()
}

// TestThirdMachine opens the report of a session of four machines that Wine's dplayx played with this project's host.
func TestThirdMachine(t *testing.T) {
	b := newTab(t, "dark")
	b.open(reportOf(t, "../../captures/interop/ourhost-third-machine.pcap"))
	heads := b.text("#diagram .heads")
	for _, name := range []string{`"Ann"`, `"Host"`, `"a"`, `"b"`} {
		assert.Contains(t, heads, name)
	}
	b.see("#diagram")
	b.picture("report-third-machine")
	b.quiet()
}

// TestLegends: on a small screen each name in the legends of the plots stands with its value on one line, inside the
// plot's width, also where names are long. In ourhost-gone "Ann" is host in the end and pings "a" and "b"; whether she
// pings "Host" as well, before it is gone, is a matter of how long they are silent in the recording.
func TestLegends(t *testing.T) {
	long := madeUp(t, strings.Repeat("Ann ", 7), strings.Repeat("Bob ", 7), 400)
	for name, c := range map[string]struct{ file, trips string }{
		"many": {reportOf(t, "../../captures/interop/ourhost-gone.pcap"), `"Ann" → "a"`},
		"long": {report(t, long, draw.Options{Title: "long"}), `"Ann Ann Ann An… → "Bob Bob Bob Bo…`},
	} {
		b := newTab(t, "light")
		b.run(chromedp.EmulateViewport(1300, 900))
		b.open(c.file)
		b.until(`document.querySelectorAll("#plots canvas").length === 3`)
		b.see("#plot-trips")
		b.picture("report-legends-" + name)
		for _, id := range []string{"plot-messages", "plot-octets", "plot-trips"} {
			series := `[...document.querySelectorAll("#` + id + ` .u-series")]`
			assert.GreaterOrEqual(t, eval[int](b, series+`.length`), 2, id)
			assert.LessOrEqual(t, eval[float64](b, `Math.max(...`+series+`.map(e => e.getBoundingClientRect().height))`), 30.0,
				"%s %s: one line each", name, id)
			assert.Zero(t, eval[int](b, series+`.filter(e => e.getBoundingClientRect().right > document.getElementById("`+id+
				`").getBoundingClientRect().right + 1).length`), "%s %s", name, id)
		}
		assert.Contains(t, b.text("#plot-trips .u-legend"), c.trips)
		b.quiet()
	}
}

// TestLotr2 opens the report of a game of Lords of the Realm II between two Windows machines. Both players kept the
// name that the game proposes.
func TestLotr2(t *testing.T) {
	b := newTab(t, "light")
	b.open(reportOf(t, borrowed(t, "lotr2-chat.pcapng")))
	assert.Equal(t, "92 messages", b.text("#count"))
	heads := b.text("#diagram .heads")
	players := b.text("#players")
	for _, id := range []string{"0x000384ca", "0x000384c8"} {
		assert.Contains(t, heads, `"Nobleman" `+id)
		assert.Contains(t, players, id)
	}
	assert.Equal(t, 3, eval[int](b, `document.querySelectorAll("#plots canvas").length`), "pings are plotted, too")
	b.see("#plots")
	b.picture("report-lotr2-plots")
	b.quiet()
}
