package recorder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"

	"dplay4/captures"
)

// A pktmon is the packet monitor of Windows (10 since version 2004). It writes all packets of the network adapters into a
// file of its own kind, which it turns into pcapng afterwards.
type pktmon struct {
	run    func(ctx context.Context, args ...string) (output string, err error)
	folder string // for its files, which are large
}

// Names of pktmon's files, and how large the first one becomes, in megabytes: what is older goes.
const (
	monitorFile  = "dplay.etl"
	monitorFrom  = "dplay-all.pcapng"
	monitorSize  = 256
	monitorUsage = "pktmon start --capture --comp nics --pkt-size 0 --file-size 256 --file-name dplay.etl"
	monitorEnds  = "pktmon stop & pktmon etl2pcap dplay.etl --out dplay.pcapng"
)

// errByHand says which commands to type where pktmon cannot be driven.
var errByHand = errors.New("recording on Windows takes an administrator: open \"Terminal (Admin)\" with a right click on the start " +
	"button, and run dplay record there. Or type these two there, the second one when it has gone wrong:\n  " + monitorUsage + "\n  " +
	monitorEnds + "\nand give dplay.pcapng to \"dplay doctor\"")

// errNoMonitor says that there is no pktmon.
var errNoMonitor = errors.New("this Windows has no pktmon (Windows 10 has it since version 2004): record with Wireshark, at all adapters, " +
	"and give the file to \"dplay doctor\"")

// startArgs are the arguments that begin a recording. components are the numbers that "pktmon list" shows.
func startArgs(file string, components []string) ([]string, error) {
	args := []string{"start", "--capture", "--comp"}
	if len(components) == 0 {
		args = append(args, "nics")
	}
	for _, c := range components {
		if n, err := strconv.ParseUint(c, 10, 16); err != nil || n == 0 {
			return nil, fmt.Errorf("--interface %q: Windows wants the number that \"pktmon list\" shows", c)
		}
		args = append(args, c)
	}
	return append(args, "--pkt-size", "0", "--file-size", strconv.Itoa(monitorSize), "--file-name", file), nil
}

// call runs pktmon, and has its output in the error.
func (m *pktmon) call(ctx context.Context, args ...string) error {
	output, err := m.run(ctx, args...)
	if err == nil {
		return nil
	}
	said := strings.Join(strings.Fields(output), " ")
	return fmt.Errorf("\"pktmon %s\" says: %s", strings.Join(args, " "), cmp.Or(said, err.Error()))
}

// record records until the time is over or ctx ends, and writes what DirectPlay sent and got.
func (m *pktmon) record(ctx context.Context, o *Options) (*Result, error) {
	etl, all := filepath.Join(m.folder, monitorFile), filepath.Join(m.folder, monitorFrom)
	start, err := startArgs(etl, o.Interfaces)
	if err != nil {
		return nil, err
	}
	t, err := newTape(&files{name: o.File, size: o.Size, most: o.Files, create: o.Create, adapters: []adapter{{"pktmon", ethernet}}},
		newPorts(o.Ports), o.Game) // before pktmon: the file may be there already
	if err != nil {
		return nil, err
	}
	if err := m.call(ctx, start...); err != nil {
		t.end() //nolint:errcheck // nothing was recorded
		return nil, errors.Join(err, os.Remove(o.File))
	}
	o.begin("all network adapters, by Windows' pktmon")
	why := ""
	over, cancel := context.WithTimeout(ctx, o.For)
	defer cancel()
	if <-over.Done(); ctx.Err() == nil {
		why = timeOver
	}
	after := context.WithoutCancel(ctx) // what follows is to be done although the user has interrupted
	err = m.call(after, "stop")
	if err == nil {
		err = m.convert(after, etl, all)
	}
	if err == nil {
		err = take(after, all, t)
	}
	result, unwritten := o.finish(t, why)
	return result, cmp.Or(err, unwritten)
}

// convert makes a pcapng file of pktmon's own. The first version of pktmon has another name for that.
func (m *pktmon) convert(ctx context.Context, from, to string) error {
	err := m.call(ctx, "etl2pcap", from, "--out", to)
	if err != nil && m.call(ctx, "pcapng", from, "-o", to) == nil {
		return nil
	}
	return err
}

// take puts what is DirectPlay's onto a tape, from a file with everything. The first way through it learns the ports.
func take(ctx context.Context, file string, t *tape) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = captures.Read(ctx, in, captures.Options{}, func(r *captures.Record) error {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.ports.learn(r)
		return nil
	}, nil)
	if err != nil {
		return err
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return sift(in, newSieve(t.wanted()), t)
}

func newReader(in io.Reader) (*pcapgo.NgReader, error) {
	return pcapgo.NewNgReader(in, pcapgo.NgReaderOptions{WantMixedLinkType: true})
}

// sift copies the packets that a sieve takes. Windows has several places in an adapter where it sees a packet, one directly
// after the other: each packet is taken once.
func sift(in io.Reader, sieve sieve, t *tape) error {
	r, err := newReader(in)
	if err != nil {
		return err
	}
	places, seen := map[framing]int{ethernet: 0}, map[uint64]time.Time{}
	seed := maphash.MakeSeed()
	for {
		data, ci, err := r.ZeroCopyReadPacketData()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		f := ethernet
		if link, _ := r.Interface(ci.InterfaceIndex); link.LinkType != layers.LinkTypeEthernet { // there is one, or the packet is an error
			f = bareIP
		}
		sum := maphash.Bytes(seed, data)
		if !sieve.takes(f, data) || ci.Timestamp.Sub(seen[sum]).Abs() < samePacket {
			continue
		}
		if len(seen) >= mostSeen {
			clear(seen)
		}
		seen[sum] = ci.Timestamp
		place, ok := places[f]
		if !ok {
			place = len(t.files.adapters)
			places[f] = place
			if err := t.add(adapter{"pktmon", f}); err != nil {
				return err
			}
		}
		ci.InterfaceIndex = place
		if err := t.packet(ci, data); err != nil {
			return err
		}
	}
}

// Packets with the same octets are one if they come so shortly after each other; that many are remembered.
const (
	samePacket = time.Millisecond
	mostSeen   = 4096
)
