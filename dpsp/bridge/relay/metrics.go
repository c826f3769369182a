package relay

import (
	"fmt"
	"io"
	"net/http"
	"runtime/metrics"
	"strings"
)

// A series is a count as Prometheus sees it.
type series struct {
	what   count
	name   string
	labels string
	help   string // of the first one of a name
}

var allSeries = []series{
	{allocated, "dplay_relay_allocated_total", "", "Allocations that were made."},
	{takenOver, "dplay_relay_taken_over_total", "", "Allocations whose address another one with the same tag took over."},
	{relayedPackets, "dplay_relay_relayed_packets_total", "", "Packets that were handed to another allocation."},
	{relayedOctets, "dplay_relay_relayed_octets_total", "", "Octets in them."},
	{bindings, "dplay_relay_bindings_total", "", "Binding requests that were answered."},
	{permissionsRefused, "dplay_relay_permissions_refused_total", "", "Wishes to talk with an address that is not the relay's."},
	{requestsFailed, "dplay_relay_requests_failed_total", "", "Packets that the TURN server could do nothing with, for any reason."},
	{refusedCredentials, "dplay_relay_refused_total", `reason="credentials"`, "Requests for or about an allocation that were refused."},
	{refusedExpired, "dplay_relay_refused_total", `reason="expired"`, ""},
	{refusedAddress, "dplay_relay_refused_total", `reason="address"`, ""},
	{refusedFull, "dplay_relay_refused_total", `reason="full"`, ""},
	{refusedFamily, "dplay_relay_refused_total", `reason="family"`, ""},
	{refusedEnding, "dplay_relay_refused_total", `reason="ending"`, ""},
	{refusedConnections, "dplay_relay_refused_connections_total", "", "Connections that were closed because there were too many."},
	{droppedRate, "dplay_relay_dropped_total", `reason="rate"`, "Packets that were dropped."},
	{droppedQueue, "dplay_relay_dropped_total", `reason="queue"`, ""},
	{droppedMemory, "dplay_relay_dropped_total", `reason="memory"`, ""},
	{droppedNobody, "dplay_relay_dropped_total", `reason="nobody"`, ""},
	{droppedUnwanted, "dplay_relay_dropped_total", `reason="unwanted"`, ""},
	{droppedStranger, "dplay_relay_dropped_total", `reason="stranger"`, ""},
	{droppedFlood, "dplay_relay_dropped_total", `reason="flood"`, ""},
	{droppedMalformed, "dplay_relay_dropped_total", `reason="malformed"`, ""},
}

// Handler serves /metrics, as text for Prometheus, and /healthz, which is 200, or 503 while the relay is ending.
func (s *Server) Handler() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		io.WriteString(w, s.metrics()) //nolint:errcheck // who asked is gone
	})
	m.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		if s.exchange.isEnding() {
			http.Error(w, "ending", http.StatusServiceUnavailable)
			return
		}
		io.WriteString(w, "ok\n") //nolint:errcheck // who asked is gone
	})
	return m
}

// metrics writes what there is to know.
func (s *Server) metrics() string {
	var b strings.Builder
	head := func(name, help, kind string) { fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind) }
	value := func(name, labels string, v any) {
		if labels != "" {
			labels = "{" + labels + "}"
		}
		fmt.Fprintf(&b, "%s%s %v\n", name, labels, v)
	}
	now := map[string][2]int64{}
	for _, f := range s.all() {
		n := now[f.transport]
		now[f.transport] = [2]int64{n[0] + f.allocations.Load(), n[1] + f.connections.Load()}
	}
	head("dplay_relay_allocations", "Allocations that there are.", "gauge")
	for _, t := range []string{"udp", "tcp", "tls"} {
		value("dplay_relay_allocations", fmt.Sprintf("transport=%q", t), now[t][0])
	}
	head("dplay_relay_connections", "Connections that there are.", "gauge")
	for _, t := range []string{"tcp", "tls"} {
		value("dplay_relay_connections", fmt.Sprintf("transport=%q", t), now[t][1])
	}
	gauges := []struct {
		name, help string
		value      any
	}{
		{"dplay_relay_allocations_limit", "Allocations that there can be.", s.config.Limits.Allocations},
		{"dplay_relay_waiting_octets", "Memory of packets that wait for clients.", s.store.taken()},
		{"dplay_relay_ending", "1 while no new allocations are made.", map[bool]int{true: 1}[s.exchange.isEnding()]},
		{"dplay_relay_start_time_seconds", "When the relay began, in seconds since 1970.", s.began.Unix()},
		{"dplay_relay_memory_octets", "Memory that the process has of the system.", memory()},
	}
	for _, g := range gauges {
		head(g.name, g.help, "gauge")
		value(g.name, "", g.value)
	}
	for _, c := range allSeries {
		if c.help != "" {
			head(c.name, c.help, "counter")
		}
		value(c.name, c.labels, s.counts[c.what].Load())
	}
	return b.String()
}

// memory returns what the process has of the system and did not give back.
func memory() uint64 {
	m := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(m)
	return m[0].Value.Uint64() - m[1].Value.Uint64()
}
