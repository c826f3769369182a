package link

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/pion/ice/v4"
	"github.com/pion/stun/v4"
	"golang.org/x/time/rate"

	"dplay4/dpsp/bridge/code"
)

const (
	attemptTime   = 10 * time.Second // for ICE to find a way
	retryDirect   = 10 * time.Second // after it found none, at first
	retryDirectly = 5 * time.Minute  // at last
	directDead    = 2 * time.Second  // without an answer, after which a new way is looked for
	failedMost    = 3                // attempts that found no other way, after which a dead one is given up
	candidateMost = 32               // that the other side can have in one attempt
	hostMost      = 24               // of them addresses of its cards: the ones that routers have are worth more
	candidateEach = 8                // of them at one address
	attemptsMost  = 6                // that the other side can ask for at once
	attemptsEach  = 10 * time.Second // and then one in this time
	lookDirect    = time.Second
)

// A director finds direct ways to the machine of one link. Both sides have one; an attempt has a number that both agree on, as
// the higher one wins.
type director struct {
	mesh    *Mesh
	link    *connection
	events  chan signal
	changed chan struct{} // the network is another one
	deaf    chan struct{} // closed when there is nobody left to take events

	attempt  uint32
	trying   *try // a zero try: none
	current  *directConn
	lastDead time.Time
	failed   int           // attempts since the way was dead
	asked    *rate.Limiter // of the attempts that the other side asks for
	done     sync.WaitGroup
}

// A try is one attempt.
type try struct {
	agent      *ice.Agent
	cancel     context.CancelFunc
	candidates []netip.Addr // of the other side
	hosts      int          // of them its cards'
	called     bool
	result     chan *directConn // gives one; nil: there is no way
}

// finish sets the result of the attempt, if there is none yet.
func (t *try) finish(c *directConn) { Offer(t.result, c) }

// close ends an attempt that found no way.
func (t *try) close() {
	t.cancel()
	if t.agent != nil {
		t.agent.GracefulClose() //nolint:errcheck // it ends in any case
	}
}

// A directConn carries packets to one machine.
type directConn struct {
	agent *ice.Agent
	conn  *ice.Conn
	over  string
}

func (c *directConn) send(b []byte, _ netip.AddrPort) { c.conn.Write(b) } //nolint:errcheck // it may be lost
func (c *directConn) direct() bool                    { return true }
func (c *directConn) String() string                  { return c.over }

// run looks for a way, and for another one when that is lost, until ctx is done.
func (d *director) run(ctx context.Context) {
	defer d.done.Wait()
	defer close(d.deaf)
	defer func() {
		d.give()
		d.drop(d.current)
	}()
	pause := retryDirect
	again := time.NewTimer(0)
	defer again.Stop()
	look := time.NewTicker(lookDirect)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case m := <-d.events:
			if m.NoDirect {
				return
			}
			d.signal(ctx, m)
		case <-again.C:
			d.begin(ctx, d.attempt+1)
		case <-d.changed:
			d.begin(ctx, d.attempt+1)
			pause = retryDirect
		case c := <-d.trying.result:
			t := d.trying
			d.trying = new(try)
			if c == nil {
				d.done.Go(t.close)
				d.fail()
				again.Reset(pause)
				pause = min(3*pause, retryDirectly)
				continue
			}
			t.cancel()
			d.use(ctx, c)
			pause = retryDirect
		case now := <-look.C:
			if d.dead(now) {
				d.begin(ctx, d.attempt+1)
			}
		}
	}
}

// fail takes it that an attempt found no way. A dead way is given up at last, so that others are not looked for as often.
func (d *director) fail() {
	c := d.current
	if c == nil || d.mesh.socket.alive(d.link.id, c) {
		return
	}
	if d.failed++; d.failed >= failedMost {
		d.current = nil
		d.done.Go(func() { d.drop(c) })
	}
}

// dead reports whether the way has been dead for some time, and nothing is being done about it.
func (d *director) dead(now time.Time) bool {
	if d.current == nil || d.trying.result != nil || d.mesh.socket.alive(d.link.id, d.current) {
		d.lastDead = time.Time{}
		return false
	}
	if d.lastDead.IsZero() {
		d.lastDead = now
	}
	return now.Sub(d.lastDead) >= directDead
}

// begin makes an attempt. The way that there is is used until it succeeds.
func (d *director) begin(ctx context.Context, n uint32) {
	d.give()
	d.attempt, d.lastDead = n, time.Time{}
	ctx, cancel := context.WithTimeout(ctx, attemptTime)
	t := &try{cancel: cancel, result: make(chan *directConn, 1)}
	d.trying = t
	if err := d.gather(t, n); err != nil {
		t.finish(nil)
		return
	}
	d.done.Go(func() { // the other side may never say anything
		<-ctx.Done()
		t.finish(nil)
	})
}

// gather begins to look for our addresses, and tells them.
func (d *director) gather(t *try, n uint32) (err error) {
	if t.agent, err = d.newAgent(); err != nil {
		return err
	}
	user, password, err := t.agent.GetLocalUserCredentials()
	if err != nil {
		return err
	}
	if err := t.agent.OnCandidate(func(c ice.Candidate) {
		if c != nil {
			d.link.signals.send(signal{Attempt: n, Candidate: c.Marshal()}) //nolint:errcheck // the link is down then
		}
	}); err != nil {
		return err
	}
	if err := d.link.signals.send(signal{Attempt: n, User: user, Password: password}); err != nil {
		return err
	}
	return t.agent.GatherCandidates()
}

// newAgent makes an agent of ICE for one attempt.
func (d *director) newAgent() (*ice.Agent, error) {
	var urls []*stun.URI
	for _, s := range d.mesh.servers() {
		urls = append(urls, &stun.URI{Scheme: stun.SchemeTypeSTUN, Host: s.Addr().String(), Port: int(s.Port()),
			Proto: stun.ProtoTypeUDP})
	}
	return ice.NewAgentWithOptions(
		ice.WithNet(d.mesh.config.Net), ice.WithUrls(urls), ice.WithLoggerFactory(silent),
		ice.WithNetworkTypes([]ice.NetworkType{ice.NetworkTypeUDP4, ice.NetworkTypeUDP6}),
		ice.WithCandidateTypes([]ice.CandidateType{ice.CandidateTypeHost, ice.CandidateTypeServerReflexive}),
		ice.WithMulticastDNSMode(ice.MulticastDNSModeDisabled),
		ice.WithSrflxAcceptanceMinWait(0), ice.WithPrflxAcceptanceMinWait(100*time.Millisecond),
		ice.WithCheckInterval(50*time.Millisecond), ice.WithMaxBindingRequests(60),
		ice.WithSTUNGatherTimeout(2*time.Second), ice.WithKeepaliveInterval(2*time.Second),
		ice.WithDisconnectedTimeout(attemptTime), ice.WithFailedTimeout(attemptTime))
}

// give gives the attempt up.
func (d *director) give() {
	t := d.trying
	if t.result == nil {
		return
	}
	d.trying = new(try)
	t.cancel()
	d.done.Go(func() {
		<-t.result
		t.close()
	})
}

// signal takes what the other side's director says.
func (d *director) signal(ctx context.Context, m signal) {
	if m.Attempt > d.attempt && d.asked.Allow() {
		d.begin(ctx, m.Attempt)
	}
	t := d.trying
	if m.Attempt != d.attempt || t.agent == nil {
		return
	}
	if c, err := ice.UnmarshalCandidate(m.Candidate); err == nil && t.admits(c) {
		t.agent.AddRemoteCandidate(c) //nolint:errcheck // there are others
	}
	if m.User != "" && !t.called {
		t.called = true
		d.done.Go(func() { d.call(ctx, t, m.User, m.Password) })
	}
}

// admits reports whether to look for a way to an address that the other side gives. It is asked a hundred times whether anybody
// is there, so it may be none of a game, nor of a service, and few of a third machine.
func (t *try) admits(c ice.Candidate) bool {
	const (
		services              = 1024 // below are ports that nobody gets by chance
		firstGame, lastGame   = 2300, 2400
		whereGamesAreSearched = 47624
	)
	a, _ := netip.ParseAddr(c.Address())
	a = a.Unmap()
	of := 0
	for _, b := range t.candidates {
		if b == a {
			of++
		}
	}
	host := c.Type() == ice.CandidateTypeHost
	switch at := c.Port(); {
	case !code.Reachable(a.WithZone("")), a.IsLoopback(), a == netip.AddrFrom4([4]byte{255, 255, 255, 255}),
		at < services, at >= firstGame && at <= lastGame, at == whereGamesAreSearched,
		len(t.candidates) >= candidateMost, of >= candidateEach, host && t.hosts >= hostMost:
		return false
	}
	if host {
		t.hosts++
	}
	t.candidates = append(t.candidates, a)
	return true
}

// call has the agent look for a way.
func (d *director) call(ctx context.Context, t *try, user, password string) {
	ctx, cancel := context.WithTimeout(ctx, attemptTime)
	defer cancel()
	connect := t.agent.Accept
	if slices.Compare(d.mesh.identity.id[:], d.link.id[:]) < 0 {
		connect = t.agent.Dial
	}
	conn, err := connect(ctx, user, password)
	if err != nil {
		t.finish(nil)
		return
	}
	c := &directConn{agent: t.agent, conn: conn, over: "direct"}
	if pair, err := t.agent.GetSelectedCandidatePair(); err == nil && pair != nil {
		c.over = end(pair.Local) + " to " + end(pair.Remote)
	}
	t.finish(c)
}

// end describes one end of a way.
func end(c ice.Candidate) string {
	return net.JoinHostPort(c.Address(), strconv.Itoa(c.Port()))
}

// use has the packets go over a new way, and gives the old one up.
func (d *director) use(ctx context.Context, c *directConn) {
	old := d.current
	d.current, d.failed = c, 0
	d.done.Go(func() {
		b := make([]byte, packetMost)
		for {
			n, err := c.conn.Read(b)
			if err != nil {
				return
			}
			d.mesh.socket.received(route{carrier: c}, b[:n])
		}
	})
	d.mesh.socket.join(d.link.id, c)
	if old == nil {
		return
	}
	d.done.Go(func() {
		Next(ctx, ctx, time.After(directDead)) //nolint:errcheck // the new one is in use by then
		d.drop(old)
	})
}

// drop ends a way.
func (d *director) drop(c *directConn) {
	if c == nil {
		return
	}
	d.mesh.socket.detach(c)
	c.agent.GracefulClose() //nolint:errcheck // it ends in any case
}
