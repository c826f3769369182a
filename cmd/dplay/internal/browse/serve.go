package browse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"golang.org/x/net/netutil"

	"dplay4/cmd/dplay/internal/cli"
)

// Limits of the web server: what a visitor can take from it.
const (
	maxVisitors     = 256 // connections at once; more wait
	maxHeader       = 16 << 10
	headerPatience  = 5 * time.Second
	requestPatience = 10 * time.Second
	answerTime      = 30 * time.Second
	idleTime        = 60 * time.Second
	goodbyeTime     = 2 * time.Second // how long answers may still take when we end
)

// checkListen says what is wrong with the value of --serve.
func checkListen(at string) error {
	host, port, err := net.SplitHostPort(at)
	if err != nil {
		return fmt.Errorf("--serve %q: must be ADDRESS:PORT, such as 127.0.0.1:8080, or :8080 for all addresses of this machine", at)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Errorf("--serve %q: ports are numbers up to 65535; 0 takes a free one", at)
	}
	if _, err := netip.ParseAddr(host); err != nil && host != "" && host != "localhost" {
		return fmt.Errorf("--serve %q: %s is no address of this machine; 127.0.0.1 is for this machine alone", at, host)
	}
	return nil
}

// serve serves what there is until ctx ends.
func (o *Options) serve(ctx context.Context) error {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", o.Serve)
	if err != nil {
		return fmt.Errorf("--serve: %w", err)
	}
	at := listener.Addr().(*net.TCPAddr).AddrPort()
	b := newBoard(o, time.Now())
	server := &http.Server{
		Handler:           guardNames(at, o.PublicHosts, newSessionsHandler(b, time.Now)),
		ReadHeaderTimeout: headerPatience, ReadTimeout: requestPatience, WriteTimeout: answerTime, IdleTimeout: idleTime,
		MaxHeaderBytes: maxHeader, ErrorLog: log.New(io.Discard, "", 0), // what visitors do wrong is not for this screen
	}
	working, cancel := context.WithCancel(ctx)
	defer cancel()
	var group sync.WaitGroup
	var asking, serving error
	group.Go(func() {
		defer cancel() // none of both goes on without the other
		asking = b.run(working)
	})
	group.Go(func() {
		defer cancel()
		serving = server.Serve(netutil.LimitListener(listener, maxVisitors))
	})
	told := o.announce(b, at)
	if told != nil {
		cancel()
	}
	<-working.Done()
	farewell, done := context.WithTimeout(context.Background(), goodbyeTime)
	defer done()
	if server.Shutdown(farewell) != nil {
		server.Close() // whoever is not served by now is cut off
	}
	group.Wait()
	if errors.Is(serving, http.ErrServerClosed) {
		serving = nil
	}
	return errors.Join(told, asking, serving)
}

// announce prints where the page is, and who can read it.
func (o *Options) announce(b *board, at netip.AddrPort) error {
	out := cli.NewOutput(o.Std.Out)
	if exposed := cli.Exposed("--serve", at, "the list"); exposed != "" {
		o.warn(errors.New(exposed))
	}
	cards := []netip.Addr{at.Addr().Unmap()}
	if cards[0].IsUnspecified() {
		var err error
		switch cards, err = o.cardAddresses(); {
		case errors.Is(err, errUnlisted): // every machine has this one
			cards = []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}
		case err != nil: // only over IPv6
			cards = []netip.Addr{netip.IPv6Loopback()}
		}
	}
	for _, card := range cards {
		out.Add(fmt.Appendf(out.Buffer(), "%s: http://%s/\n", b.subject(), netip.AddrPortFrom(card, at.Port())))
	}
	return out.End()
}
