package benchtshark

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	packets = flag.Int("packets", 200_000, "packets in the capture")
	runs    = flag.Int("runs", 5, "timed runs of each program")
	seed    = flag.Uint64("seed", 1, "what the capture is made from")
	dplay   = flag.String("dplay", "../../dplay", "the dplay program, seen from this folder")
	tshark  = flag.String("tshark", "tshark", "the tshark program")
	keep    = flag.String("keep", "", "write the capture to this file, seen from this folder, and keep it")
)

// A contender is one command that is timed.
type contender struct {
	name  string
	args  []string
	times []time.Duration
}

// BenchmarkTshark prints how long tshark and dplay take to read the same file from a warm cache. What they print is discarded.
// They run in turns, so that whatever else the machine does hits both. tshark does the least that shows DirectPlay at all, one
// field; dplay does what it does by default.
func BenchmarkTshark(b *testing.B) {
	require.Positive(b, min(*packets, *runs), "at least one packet and one run")
	dir, file := b.TempDir(), *keep
	if file == "" {
		file = filepath.Join(dir, "bench.pcap")
	}
	made, err := os.Create(file)
	require.NoError(b, err)
	sum := makeUp(b, made, *packets, *seed)
	size, err := made.Seek(0, io.SeekEnd)
	require.NoError(b, err)
	require.NoError(b, made.Close())
	version, err := tsharkVersion(*tshark)
	require.NoError(b, err)
	fmt.Printf("\ncapture: seed %d, %d packets, %.1f MB, %d DirectPlay messages, %d packets of other traffic\n",
		*seed, sum.Packets, float64(size)/1e6, sum.Messages, sum.Unrelated)
	fmt.Printf("%s; %d processors\n", version, runtime.NumCPU())
	decoded, err := count(*dplay, file)
	require.NoError(b, err)
	require.Equal(b, sum.Messages, decoded,
		"messages in the capture, and those that dplay decodes: time means nothing if they differ")
	all := []*contender{
		{name: "tshark -T fields", args: []string{*tshark, "-n", "-r", file, "-T", "fields", "-e", "dplay.command"}},
		{name: "dplay decode", args: []string{*dplay, "decode", file}},
		{name: "dplay decode --format ndjson", args: []string{*dplay, "decode", "--format", "ndjson", file}},
	}
	for run := range *runs + 1 {
		for _, k := range all {
			d, err := k.run(dir)
			require.NoError(b, err)
			if run > 0 { // the first one warms the cache
				k.times = append(k.times, d)
			}
		}
	}
	report(os.Stdout, sum.Packets, all)
}

// tsharkVersion returns the first line of what tshark says about itself.
func tsharkVersion(program string) (string, error) {
	b, err := exec.Command(program, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("tshark is needed to compare with: %w", err)
	}
	line, _, _ := strings.Cut(string(b), "\n")
	return strings.TrimSuffix(line, "."), nil
}

// count returns the number of messages that dplay finds: an NDJSON line each.
func count(dplay, file string) (int, error) {
	cmd := exec.Command(dplay, "decode", "--format", "ndjson", "--payload", "none", file)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	b, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return bytes.Count(b, []byte("\n")), nil
}

// run runs the command once and returns how long it took from start to end.
func (k *contender) run(dir string) (time.Duration, error) {
	cmd := exec.Command(k.args[0], k.args[1:]...)
	cmd.Env = append(os.Environ(), "WIRESHARK_CONFIG_DIR="+dir) // nobody's own settings
	var stderr bytes.Buffer
	cmd.Stderr = &stderr // what is not set goes to the null device
	start := time.Now()
	err := cmd.Run()
	d := time.Since(start)
	if err != nil {
		return 0, fmt.Errorf("%s: %w: %s", strings.Join(k.args, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return d, nil
}

func report(out io.Writer, packets int, all []*contender) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\tmin\tmedian\tpackets/s\tspeed\t")
	base := median(all[0].times)
	for _, k := range all {
		m := median(k.times)
		fmt.Fprintf(w, "%s\t%.3f s\t%.3f s\t%.0f\t%.1f x tshark\t\n", k.name,
			slices.Min(k.times).Seconds(), m.Seconds(), float64(packets)/m.Seconds(), base.Seconds()/m.Seconds())
	}
	w.Flush()
	fmt.Fprintf(out,
		"ratio of medians over %d runs: dplay decode is %.1f times as fast as tshark, %.1f times with --format ndjson\n",
		len(all[0].times), base.Seconds()/median(all[1].times).Seconds(), base.Seconds()/median(all[2].times).Seconds())
}

// median returns the middle one, or the mean of the two in the middle.
func median(times []time.Duration) time.Duration {
	t := slices.Sorted(slices.Values(times))
	n := len(t)
	return (t[(n-1)/2] + t[n/2]) / 2
}
