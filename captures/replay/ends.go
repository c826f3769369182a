package replay

import (
	"bytes"
	"net/netip"
	"time"

	"dplay4/captures/internal/link"
	"dplay4/captures/internal/pcapfile"
)

// An ending is a connection that the machine which was called ended first, by FIN or RST. Engines are told when that
// happens to a connection of theirs.
type ending struct {
	frame  int
	time   time.Time
	caller netip.AddrPort // its end of the connection, with a port that means nothing else
	called netip.AddrPort // a listener
}

// connectionEnds reads the flags of TCP segments, which package captures has no use for. A file that is damaged is read
// up to there.
func connectionEnds(octets []byte, name string) []ending {
	rd, err := pcapfile.NewReader(bytes.NewReader(octets), name)
	if err != nil {
		return nil
	}
	var all []ending
	var d link.Decoder
	over := map[[2]netip.AddrPort]bool{} // by caller and called
	callers := map[[2]netip.AddrPort]bool{}
	for {
		p, err := rd.Next()
		if err != nil {
			return all
		}
		u, status := d.Decode(&p)
		d.Incomplete()
		if status.Kind != link.KindUnit || u.Proto == link.UDP || !u.SYN && !u.FIN && !u.RST {
			continue
		}
		out, back := [2]netip.AddrPort{u.Src, u.Dst}, [2]netip.AddrPort{u.Dst, u.Src}
		switch {
		case u.SYN && !callers[back]: // the answer to a SYN has the flag, too
			callers[out] = true
			delete(over, out)
		case u.SYN:
		case callers[out]:
			over[out] = true // the caller ends it itself
		case callers[back] && !over[back]:
			over[back] = true
			all = append(all, ending{frame: p.Frame, time: u.Time, caller: u.Dst, called: u.Src})
		}
		if len(callers) > MaxMessages {
			return all
		}
	}
}
