package browse

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/netip"
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

	mu   sync.Mutex
	made time.Time
	list []byte
}

func newSessionsHandler(b *board, clock func() time.Time) http.Handler {
	h := &sessionsHandler{board: b, clock: clock}
	h.page, h.policy = makePage(b.subject(), b.opt.round())
	h.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", h.policy)
		h.send(w, r, "text/html; charset=utf-8", h.page)
	})
	h.HandleFunc("GET /sessions.json", func(w http.ResponseWriter, r *http.Request) {
		h.send(w, r, "application/json", h.sessions())
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
// page of somebody else in a browser here, whose name was made to mean this machine (DNS rebinding).
func guardNames(at net.Addr, h http.Handler) http.Handler {
	socket, err := netip.ParseAddrPort(at.String())
	if err != nil || !socket.Addr().Unmap().IsLoopback() {
		return h // a machine has many names in its network, and everybody there can read the list
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !loopbackName(r.Host) {
			http.Error(w, "this server answers to localhost and loopback addresses only", http.StatusMisdirectedRequest)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// loopbackName reports whether a Host header, with or without a port, names this machine alone.
func loopbackName(host string) bool {
	if name, port, err := net.SplitHostPort(host); err == nil {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return false
		}
		host = name
	} else if inside, ok := strings.CutPrefix(host, "["); ok {
		host = strings.TrimSuffix(inside, "]")
	}
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

// sessions returns the array of /sessions.json. It is not written to again.
func (h *sessionsHandler) sessions() []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.clock()
	if h.list == nil || now.Sub(h.made) >= lookEvery {
		h.made, h.list = now, sessionsArray(now, h.board.look(now))
	}
	return h.list
}

// sessionsArray returns the sessions as events of "dplay sessions" that also say when the last answer came. What is gone
// is left out.
func sessionsArray(now time.Time, p picture) []byte {
	b := []byte("[")
	for i := range p.rows {
		r := &p.rows[i]
		if r.gone {
			continue
		}
		o := describeAnswer(now, &r.answer, foundName)
		o.LastSeen = new(r.at.UTC().Format(events.TimeFormat))
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = bytes.TrimSuffix(events.AppendJSON(append(b, '\n'), o), []byte("\n"))
	}
	if len(b) > 1 {
		b = append(b, '\n')
	}
	return append(b, "]\n"...)
}

// makePage fills in the page, and gives the policy that lets it run its own script and style, and nothing else.
func makePage(subject string, round time.Duration) (page []byte, policy string) {
	words := []any{} // a list: the order says what comes first
	for _, w := range events.FlagWords {
		words = append(words, []string{w.Flag.String(), w.Word})
	}
	quoted, err := json.Marshal(words) // which escapes what could end the script
	if err != nil {
		panic(err) // strings cannot fail
	}
	text := strings.NewReplacer("__SUBJECT__", html.EscapeString(subject), "__WORDS__", string(quoted),
		"__ROUND__", fmt.Sprint(round.Milliseconds())).Replace(pageSource)
	policy = fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'; connect-src 'self'; img-src data:; base-uri "+
		"'none'; form-action 'none'; frame-ancestors 'none'",
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
