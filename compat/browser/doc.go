// Package browser runs the reports of "dplay draw" in a real browser, Chromium without a window. It holds no code but
// tests, and is a module of its own: chromedp takes longer to compile than everything else here, and "go test ./..." of this
// project does without. "make browser" runs them, as "make nightly" does.
//
// They are skipped where there is no Chromium, unless DPLAY_REQUIRE_CHROMIUM is set to something other than the empty
// string, as it is in "make nightly": then they fail. Debian calls the package chromium. DPLAY_CAPTURES may name a folder with
// lotr2-chat.pcapng, which is not ours to copy; DPLAY_SCREENSHOTS one that gets pictures to look at.
//
// Chromium is steered by chromedp, which speaks its debugging protocol: pages are clicked and typed into as people do,
// and everything that Chromium complains about is heard, which no imitation of a browser could tell.
package browser
