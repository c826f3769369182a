package browse

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"dplay4/cmd/dplay/internal/events"
)

//go:embed servepage.html
var pageSource string

// A sessionsHandler answers the requests of browsers and scripts. What it has to say is made anew at most every
// lookEvery, however many ask.
type sessionsHandler struct {
	http.ServeMux
	board  *board
	clock  func() time.Time
	page   []byte
	policy string // the page's Content-Security-Policy

	mu      sync.Mutex
	made    time.Time
	list    []byte // of /sessions.json
	metrics []byte
}

func newSessionsHandler(b *board, clock func() time.Time) http.Handler {
	h := &sessionsHandler{board: b, clock: clock}
	h.page, h.policy = makePage(cmp.Or(b.opt.Title, b.subject()), b.opt.round())
	h.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", h.policy)
		h.send(w, r, "text/html; charset=utf-8", h.page)
	})
	h.HandleFunc("GET /sessions.json", func(w http.ResponseWriter, r *http.Request) {
		if origin := b.opt.AllowOrigin; origin != "" {
			w.Header().Set("Access-Control-Allow-Origin", origin)
		}
		list, _ := h.look()
		h.send(w, r, "application/json", list)
	})
	h.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		_, metrics := h.look()
		h.send(w, r, "text/plain; version=0.0.4; charset=utf-8", metrics)
	})
	h.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {
		h.send(w, r, "text/plain; charset=utf-8", []byte("ok\n"))
	})
	return h
}

// ServeHTTP answers a request. A pattern with GET is for HEAD as well; the mux refuses other methods.
func (h *sessionsHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for name, value := range map[string]string{
		"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		"Cross-Origin-Resource-Policy": "same-origin", "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
	} {
		w.Header().Set(name, value)
	}
	h.ServeMux.ServeHTTP(w, r)
}

// guardNames guards a server that only this machine can reach: who asks it by a name that is not this machine's is a
// page of somebody else in a browser here, whose name was made to mean this machine (DNS rebinding). The names in public
// are those of a proxy, and are let in as well.
func guardNames(at netip.AddrPort, public []string, h http.Handler) http.Handler {
	if !at.Addr().Unmap().IsLoopback() {
		return h // a machine has many names in its network, and everybody there can read the list
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, ok := hostName(r.Host)
		same := func(other string) bool { return strings.EqualFold(name, other) }
		if !ok || !loopbackName(name) && !slices.ContainsFunc(public, same) {
			http.Error(w, "this server answers to localhost, loopback addresses and the names of --public-host only",
				http.StatusMisdirectedRequest)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// hostName returns the name or the address in a Host header, with or without a port; false: there is none.
func hostName(host string) (string, bool) {
	if name, port, err := net.SplitHostPort(host); err == nil {
		_, err := strconv.ParseUint(port, 10, 16)
		return name, err == nil && name != ""
	}
	if inside, ok := strings.CutPrefix(host, "["); ok {
		host = strings.TrimSuffix(inside, "]")
	}
	return host, host != ""
}

// loopbackName reports whether a name or an address is this machine's alone.
func loopbackName(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// send sends a whole answer.
func (h *sessionsHandler) send(w http.ResponseWriter, r *http.Request, kind string, body []byte) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", fmt.Sprint(len(body)))
	if r.Method != http.MethodHead {
		w.Write(body) //nolint:errcheck // who has gone needs no answer
	}
}

// look returns the array of /sessions.json and the text of /metrics. They are not written to again.
func (h *sessionsHandler) look() (list, metrics []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.clock()
	if now.Sub(h.made) >= lookEvery {
		p := h.board.look(now)
		h.made, h.list, h.metrics = now, sessionsArray(now, p), h.board.metrics(now, &p)
	}
	return h.list, h.metrics
}

// sessionsArray returns the sessions as events of "dplay sessions" that also say when the last answer came. What is gone
// is left out.
func sessionsArray(now time.Time, p picture) []byte {
	var lines [][]byte
	for _, r := range p.here() {
		o := describeAnswer([]byte("\n"), now, &r.answer, foundName).Add("last_seen", r.at.UTC().Format(events.TimeFormat))
		lines = append(lines, append(o, '}'))
	}
	if len(lines) == 0 {
		return []byte("[]\n")
	}
	return slices.Concat([]byte("["), bytes.Join(lines, []byte(",")), []byte("\n]\n"))
}

// makePage fills in the page, and gives the policy that lets it run its own script and style, and nothing else.
func makePage(title string, round time.Duration) (page []byte, policy string) {
	words := []any{} // a list: the order says what comes first
	for _, w := range events.FlagWords {
		words = append(words, []string{w.Flag.String(), w.Word})
	}
	quoted, err := json.Marshal(words) // which escapes what could end the script
	if err != nil {
		panic(err) // strings cannot fail
	}
	text := strings.NewReplacer("__TITLE__", html.EscapeString(title), "__WORDS__", string(quoted),
		"__ROUND__", fmt.Sprint(round.Milliseconds())).Replace(pageSource)
	policy = fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
		hashOf(text, "script"), hashOf(text, "style"))
	return []byte(text), policy
}

// hashOf returns the hash of what is in the page's element, as a policy names it.
func hashOf(page, element string) string {
	_, rest, _ := strings.Cut(page, "<"+element+">")
	inside, _, _ := strings.Cut(rest, "</"+element+">")
	sum := sha256.Sum256([]byte(inside))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
