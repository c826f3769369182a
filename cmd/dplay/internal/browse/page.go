package browse

import (
	"bytes"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"time"

	"dplay4/cmd/dplay/internal/flags"
)

// A Page are the flags that say how the web server presents the list, and to whom.
type Page struct {
	Title       string   `flag:"title" usage:"with --serve, the title of the page, <TEXT> (default: what the list is of)"`
	AllowOrigin string   `flag:"allow-origin" usage:"with --serve, let scripts of web pages of <ORIGIN|*> read /sessions.json, such as https://games.example"`
	PublicHosts []string `flag:"public-host" usage:"with --serve behind a proxy, answer to this <NAME>, too, such as games.example; may be repeated"`
}

// usualPorts are the ports of web pages that browsers leave out, by the scheme.
var usualPorts = map[string]string{"http": "80", "https": "443"}

// hostWord matches what can be the name of a host: ASCII that shows, without what else stands in the address of a web page.
var hostWord = regexp.MustCompile(`^[^\x00-\x20\x7f-\x{10ffff}/\\:@*?#,\[\]]+$`)

// Check returns an error for values that cannot be meant.
func (p *Page) Check() error {
	if o := p.AllowOrigin; o != "" && o != "*" {
		u, err := url.Parse(o)
		if err != nil || u.Host == "" || o != u.Scheme+"://"+strings.ToLower(u.Host) || usualPorts[u.Scheme] == "" {
			return fmt.Errorf("--allow-origin %s: want * for all web pages, or the origin of one in small letters, without a path, such as https://games.example", flags.Quoted(o))
		}
		if usual := usualPorts[u.Scheme]; u.Port() == usual || strings.HasSuffix(o, ":") {
			return fmt.Errorf("--allow-origin %s: browsers leave out the usual port: write %s", flags.Quoted(o),
				strings.TrimSuffix(strings.TrimSuffix(o, usual), ":"))
		}
	}
	for _, host := range p.PublicHosts {
		if _, err := netip.ParseAddr(host); err != nil && !hostWord.MatchString(host) {
			return fmt.Errorf("--public-host %s: want the name that browsers ask for, without https:// and a port, such as games.example",
				flags.Quoted(host))
		}
	}
	return nil
}

// metrics returns the counts of a picture as text for Prometheus.
func (b *board) metrics(now time.Time, p *picture) []byte {
	sessions, players := p.here(), 0
	for _, r := range sessions {
		players += int(r.Desc.CurrentPlayers)
	}
	var text bytes.Buffer
	for _, g := range []struct {
		name, help string
		value      any
	}{
		{"dplay_sessions", "Sessions in the list.", len(sessions)},
		{"dplay_sessions_players", "Players in them, as their hosts count them.", players},
		{"dplay_sessions_hosts", "Hosts that are asked one by one; 0 if the network is asked by broadcast.", len(b.opt.hosts)},
		{"dplay_sessions_hosts_silent", "Hosts among them that do not answer.", p.silent},
		{"dplay_sessions_last_answer_age_seconds", "Time since the last answer, or since the start if none came.",
			max(now.Sub(p.last), 0).Seconds()},
		{"dplay_sessions_start_time_seconds", "When the search began, in seconds since 1970.", b.began.Unix()},
	} {
		fmt.Fprintf(&text, "# HELP %s %s\n# TYPE %[1]s gauge\n%[1]s %[3]v\n", g.name, g.help, g.value)
	}
	return text.Bytes()
}
