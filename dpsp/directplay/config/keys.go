package config

import (
	"cmp"
	"net/netip"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"dplay4/wire"
)

// A text is a value before it is understood: what it is, what said it, and the folder that names of files in it begin at; ""
// is the current one.
type text struct{ value, where, folder string }

// A key is something that can be set.
type key struct {
	name    string
	takes   string // what values it takes
	set     func(*Settings, text) (why string)
	comment string // for the sample
	example string // likewise, as TOML
}

// variable returns the name of the environment variable that goes before the file.
func (k *key) variable() string { return "DPLAY_" + strings.ToUpper(k.name) }

// The limits of what may be set. A period below the shortest floods; one above the longest notices nobody's loss.
const (
	shortestPeriod = 10 * time.Millisecond
	longestPeriod  = time.Hour
	mostProbes     = 1000
	longestName    = 253 // characters of a host's name
)

// keys are all that can be set, in the order of the sample.
var keys = []key{
	{"address", "a host's name or IPv4 address", setAddress,
		"Where to look for games if the game itself does not ask for an\naddress: what Microsoft's DirectPlay asks in a window. Without it:\nthe local network.", `"192.0.2.7"`},
	{"bind", "an IPv4 address of this machine", func(s *Settings, v text) string { return setIP(&s.Bind, v) },
		"Use the network card with this address only.", `"192.0.2.1"`},
	{"advertise", "an IPv4 address", func(s *Settings, v text) string { return setIP(&s.Advertise, v) },
		"Tell others this address of ours: behind a router that passes\nports on to us, or in a VPN.", `"203.0.113.5"`},
	{"tcp", `a port or FROM-TO, such as "2300-2349"`, func(s *Settings, v text) string { return setPorts(&s.StreamPorts, v) },
		"Ports to listen on. Who hosts needs TCP and UDP 47624 as well.", `"2300-2349"`},
	{"udp", `a port or FROM-TO, such as "2350-2399"`, func(s *Settings, v text) string { return setPorts(&s.DatagramPorts, v) },
		"", `"2350-2399"`},
	{"period", `a time from 10ms to 1h, such as "35s"`, setPeriod,
		"Sessions of games that ask for it ping each machine so often, and\ntake it for lost after so many pings without an answer.", `"35s"`},
	{"probes", "a number from 1 to 1000", setProbes, "", "8"},
	{"legacy", "true or false", func(s *Settings, v text) string {
		return setBool(&s.Legacy, v, map[string]bool{"true": true, "1": true, "false": false, "0": false})
	},
		"true: behave like a machine with Windows or Wine also towards this\nproject's own, which otherwise tell each other more.", "true"},
	{"text", `"utf16" or "8bit"`, func(s *Settings, v text) string {
		return setBool(&s.EightBit, v, map[string]bool{"utf16": false, "8bit": true})
	},
		"How names and passwords are written; some games want 8 bits.", `"8bit"`},
	{"log", "the name of a file", func(s *Settings, v text) string { return setFile(&s.LogFile, v) },
		"Write what happens into this file. Names begin at the folder of\nthis file; write / between folders.", `"dplayx.log"`},
	{"record", "the name of a file", func(s *Settings, v text) string { return setFile(&s.RecordFile, v) },
		"Write the game's traffic into this file, for \"dplay doctor\" and\nWireshark. Names, chat and passwords are in it. A file that is\nthere is kept: the next one gets a number.", `"game.pcapng"`},
}

// hostCharacters are those of host names and IPv4 addresses.
const hostCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_"

func setAddress(s *Settings, v text) string {
	if len(v.value) > longestName || strings.Trim(v.value, hostCharacters) != "" {
		return "is neither"
	}
	s.Address = v.value
	return ""
}

func setIP(to *netip.Addr, v text) string {
	a, _ := netip.ParseAddr(v.value) // the zero Addr is not IPv4
	if !a.Is4() || !a.IsGlobalUnicast() && !a.IsLoopback() && !a.IsLinkLocalUnicast() {
		return "is none"
	}
	*to = a
	return ""
}

func setPorts(to *wire.Ports, v text) string {
	from, last, isRange := strings.Cut(v.value, "-")
	if !isRange {
		last = from
	}
	a, err := strconv.ParseUint(from, 10, 16)
	b, err2 := strconv.ParseUint(last, 10, 16)
	switch {
	case cmp.Or(err, err2) != nil || a == 0:
		return "is none"
	case b < a:
		return "goes backwards"
	}
	*to = wire.Ports{First: uint16(a), Last: uint16(b)}
	return ""
}

func setPeriod(s *Settings, v text) string {
	d, err := time.ParseDuration(v.value)
	switch {
	case err != nil:
		return "is none"
	case d < shortestPeriod || d > longestPeriod:
		return "is out of range"
	}
	s.Period = d
	return ""
}

func setProbes(s *Settings, v text) string {
	n, _ := strconv.ParseUint(v.value, 10, 32) // 0, or the largest, with an error
	if n < 1 || n > mostProbes {
		return "is none"
	}
	s.Probes = int(n)
	return ""
}

// setBool sets to by the name of a value.
func setBool(to *bool, v text, names map[string]bool) string {
	b, ok := names[v.value]
	if !ok {
		return "is neither"
	}
	*to = b
	return ""
}

// setFile takes the name of a file, which begins at the folder of the configuration.
func setFile(to *string, v text) string {
	if strings.ContainsRune(v.value, 0) {
		return "is none"
	}
	*to = v.value
	if !filepath.IsAbs(v.value) {
		*to = filepath.Join(v.folder, v.value)
	}
	return ""
}

// Sample returns a file with everything that can be set, and says what it is. It sets nothing.
func Sample() string {
	var b strings.Builder
	b.WriteString("# " + FileName + ": settings of the drop-in dplayx.dll.\n" +
		"# It stands beside the DLL, or beside the game, or in the folder dplay4\n" +
		"# of the user's configuration; the first of them counts.\n" +
		"# Everything is off: take the # before a line away to set it. An\n" +
		"# environment variable goes before the file: DPLAY_ADDRESS for address,\n" +
		"# and so on; DPLAY_CONFIG names another file.\n")
	for _, k := range keys {
		if k.comment != "" {
			b.WriteString("\n# " + strings.ReplaceAll(k.comment, "\n", "\n# ") + "\n")
		}
		b.WriteString("#" + k.name + " = " + k.example + "\n")
	}
	return b.String()
}
