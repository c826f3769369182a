package recorder

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Bounds of a recording that stops by itself.
const (
	leastFree   = 256 << 20 // octets that stay free on the disk
	lookAround  = 2 * time.Second
	lastPackets = 50 * time.Millisecond // for those that are under way when it stops
)

// noRight is what who may not record is told.
func noRight() error {
	program, _ := os.Executable() // "" beside an error
	return fmt.Errorf("this user may not record packets. Run it as root: \"sudo dplay record\"; or allow it once and for all: "+
		"\"sudo setcap cap_net_raw+ep %s\"", cmp.Or(program, "PATH-OF-DPLAY"))
}

// record records from raw sockets.
func (o *Options) record(ctx context.Context) (*Result, error) {
	if free := freeOctets(o.File); free < leastFree {
		return nil, fmt.Errorf("%s: only %d MB are free there, and %d MB are to stay so", o.File, free>>20, leastFree>>20)
	}
	wanted := newPorts(o.Ports)
	taps, err := openTaps(o.Interfaces, wanted.list)
	if err != nil {
		return nil, err
	}
	defer taps.close()
	for _, text := range taps.skipped {
		o.Tell(text)
	}
	t, err := newTape(&files{name: o.File, size: o.Size, most: o.Files, create: o.Create, adapters: taps.adapters}, wanted, o.Game)
	if err != nil {
		return nil, err
	}
	o.begin(strings.Join(taps.names, ", "))
	why, err := o.loop(ctx, taps, t)
	if n := taps.lost(); n > 0 {
		o.Tell(count(n, "packet") + " came too fast to be recorded")
	}
	result, unwritten := o.finish(t, why)
	return result, cmp.Or(err, unwritten)
}

// loop records until there is a reason to stop, which it returns.
func (o *Options) loop(ctx context.Context, taps *taps, t *tape) (why string, err error) {
	began := time.Now()
	over, look, tell := time.NewTimer(o.For), time.NewTicker(lookAround), time.NewTicker(o.Every)
	defer over.Stop()
	defer look.Stop()
	defer tell.Stop()
	for err == nil {
		select {
		case p := <-taps.packets:
			err = taps.record(p, t)
		case <-t.learnt:
			err = taps.widen(t.wanted())
		case <-over.C:
			return timeOver, taps.rest(t)
		case <-ctx.Done():
			return "", taps.rest(t)
		case now := <-tell.C:
			o.Progress(now.Sub(began), t.seen())
		case <-look.C:
			if freeOctets(o.File) < leastFree {
				return "the disk is nearly full", taps.rest(t)
			}
			err = taps.lookForMore(t, o.Tell)
		}
	}
	return "", err
}

// freeOctets returns how much room there is for a user on the disk that a file is to be on: all there can be, if it is not known.
func freeOctets(file string) uint64 {
	var s syscall.Statfs_t
	if syscall.Statfs(filepath.Dir(file), &s) != nil {
		return math.MaxUint64
	}
	return s.Bavail * uint64(s.Bsize)
}
