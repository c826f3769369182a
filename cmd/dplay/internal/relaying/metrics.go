package relaying

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"dplay4/dpsp/bridge/relay"
)

// A web serves metrics; nil serves nothing.
type web struct {
	server *http.Server
	at     net.Addr
}

// serveMetrics serves metrics where the options say.
func (o *Options) serveMetrics(s *relay.Server) (*web, error) {
	if o.Metrics == "" {
		return nil, nil
	}
	l, err := net.Listen("tcp", o.Metrics)
	if err != nil {
		return nil, fmt.Errorf("--metrics %s: %w", o.Metrics, err)
	}
	pages := http.NewServeMux()
	pages.Handle("/", s.Handler())
	pages.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "a relay of dplay: /metrics is for Prometheus, /healthz says ok, or 503 while it is ending\n") //nolint:errcheck // who asked is gone
	})
	const slowest = 10 * time.Second
	w := &web{&http.Server{Handler: pages, ReadTimeout: slowest, WriteTimeout: slowest, IdleTimeout: time.Minute,
		MaxHeaderBytes: 8 << 10}, l.Addr()}
	go w.server.Serve(l) //nolint:errcheck // it ends with the relay
	return w, nil
}

// Close ends it.
func (w *web) Close() {
	if w != nil {
		w.server.Close() //nolint:errcheck // it ends
	}
}
