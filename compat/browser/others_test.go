package browser_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"dplay4/captures/draw"
	"dplay4/internal/madeup"
	"dplay4/wire"
)

// TestManyMachines opens the report of more machines than have lanes: those that share one stand by their addresses in a
// list below, in the list of machines, where one is chosen, and at their messages. axe-core finds nothing.
func TestManyMachines(t *testing.T) {
	t.Parallel()
	const machines = 51
	c := madeup.New(t)
	for i := range machines {
		peer := fmt.Sprintf("10.0.0.%d:2300", i+10)
		conn := c.Dial(fmt.Sprintf("10.0.0.%d:40000", i+10), "10.0.0.1:2300")
		for range 1 + max(0, 24-i) {
			conn.Send(madeup.System(2300, &wire.Chat{From: wire.PlayerID(i), Text: wire.NewText("from " + peer)}))
			c.Wait(7 * time.Millisecond)
		}
	}
	file := report(t, &c.File, draw.Options{Title: "many"})
	for _, scheme := range []string{"light", "dark"} {
		b := newTab(t, scheme)
		b.open(file)
		items := eval[int](b, `document.querySelectorAll("details.others li").length`)
		assert.Greater(t, items, 20)
		assert.Contains(t, b.text("details.others"), "10.0.0.60:2300")
		assert.Contains(t, b.text("details.others summary"), fmt.Sprintf("others: %d machines", items))
		assert.Contains(t, b.text("#diagram .heads"), fmt.Sprintf("and %d more", items-1))
		assert.Contains(t, b.text("#picture"), "[10.0.0.60:2300]")
		b.do(`(s => { s.value = [...s.options].find(o => o.textContent === "10.0.0.60:2300").value;
			s.dispatchEvent(new Event("change")) })(document.getElementById("lane"))`)
		b.until(`document.querySelectorAll("#window .row").length === 1`)
		b.do(`document.querySelector("#window .row").click()`)
		b.until(`document.querySelector("#detail table") && document.querySelector("#detail table").textContent.includes("from10.0.0.60:2300")`)
		b.click(`#filter button[type=reset]`)
		b.typeInto("#q", "10.0.0.60:2300")
		b.until(`document.querySelector("#count").textContent.startsWith("1 of ")`)
		b.do(`document.querySelector("details.others").open = true`)
		b.at(func(name string) {
			b.flaws("many machines " + name)
			b.see("details.others")
			b.picture("many-" + name)
		})
		b.quiet()
	}
}
