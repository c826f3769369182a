package recorder

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/internal/madeup"
)

// A pktmonMachine is a machine of which only pktmon is made up: it says what was typed, and makes the file of a game whose
// question comes twice, as Windows sees it, at ports that only its messages tell, with other traffic between.
type pktmonMachine struct {
	t     *testing.T
	typed []string
	fails map[string]string // what it says instead, by the first argument
}

func (w *pktmonMachine) run(_ context.Context, args ...string) (string, error) {
	w.typed = append(w.typed, strings.Join(args, " "))
	if said, ok := w.fails[args[0]]; ok {
		return said, errors.New("exit status 1")
	}
	if args[0] != "etl2pcap" && args[0] != "pcapng" {
		return "", nil
	}
	n := madeup.NewInterfaces(w.t, "one")
	ask := question(w.t)
	n.Raw(ask)
	n.Now = n.Now.Add(-n.Step) // the same packet, seen at another place
	n.Raw(ask)
	n.UDP("192.0.2.1:40000", "192.0.2.9:53", []byte("who"))
	n.UDP("192.0.2.2:40000", "192.0.2.1:31415", []byte("game"))
	n.Wait(time.Second)
	n.Raw(ask)
	require.NoError(w.t, os.WriteFile(args[len(args)-1], n.Bytes(), 0o600))
	return "Processing...", nil
}

// recording runs pktmon, and interrupts it at once.
func (w *pktmonMachine) recording(more ...string) (*Result, *Options, error) {
	folder := w.t.TempDir()
	o := &Options{Interfaces: more, File: filepath.Join(folder, "game.pcapng"), For: time.Hour, Size: 1 << 20, Files: 2, Create: exclusive,
		Tell: func(string) {}}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := (&pktmon{run: w.run, folder: folder}).record(ctx, o)
	for i := range w.typed {
		w.typed[i] = strings.ReplaceAll(w.typed[i], folder+string(filepath.Separator), "")
	}
	return r, o, err
}

// TestPktmon checks what is typed, and that the file holds what is DirectPlay's, once.
func TestPktmon(t *testing.T) {
	w := &pktmonMachine{t: t}
	r, o, err := w.recording()
	require.NoError(t, err)
	assert.Equal(t, []string{"start --capture --comp nics --pkt-size 0 --file-size 256 --file-name dplay.etl", "stop",
		"etl2pcap dplay.etl --out dplay-all.pcapng"}, w.typed)
	assert.True(t, strings.HasSuffix(monitorUsage, w.typed[0][len("start "):]), "what people are told to type is what is typed")
	assert.Equal(t, []string{o.File}, r.Files)
	assert.Equal(t, "3 packets, 2 messages of DirectPlay 4, 1 sender", r.Seen, "one each: two questions, and one at a learnt port")
	assert.Equal(t, 2, messages(t, o.File))
	assert.Empty(t, r.Why)

	w = &pktmonMachine{t: t, fails: map[string]string{"etl2pcap": "Unknown command"}}
	_, _, err = w.recording("12", "7")
	require.NoError(t, err)
	assert.Equal(t, []string{"start --capture --comp 12 7 --pkt-size 0 --file-size 256 --file-name dplay.etl", "stop",
		"etl2pcap dplay.etl --out dplay-all.pcapng", "pcapng dplay.etl -o dplay-all.pcapng"}, w.typed, "Windows 10, 2004")
}

// TestPktmonFails checks that what pktmon says is told, and that it is stopped.
func TestPktmonFails(t *testing.T) {
	w := &pktmonMachine{t: t, fails: map[string]string{"start": "Access\r\n  denied."}}
	r, o, err := w.recording()
	assert.Nil(t, r)
	assert.EqualError(t, errors.New(strings.ReplaceAll(err.Error(), filepath.Dir(o.File)+string(filepath.Separator), "")),
		`"pktmon start --capture --comp nics --pkt-size 0 --file-size 256 --file-name dplay.etl" says: Access denied.`)
	assert.NoFileExists(t, o.File)
	assert.Len(t, w.typed, 1)

	w = &pktmonMachine{t: t, fails: map[string]string{"etl2pcap": "no", "pcapng": "no"}}
	r, _, err = w.recording()
	assert.ErrorContains(t, err, "etl2pcap")
	assert.NotNil(t, r)
	assert.Contains(t, w.typed, "stop")

	w = &pktmonMachine{t: t}
	_, _, err = w.recording("Ethernet")
	assert.EqualError(t, err, `--interface "Ethernet": Windows wants the number that "pktmon list" shows`)
	assert.Empty(t, w.typed)
	for _, text := range []string{errByHand.Error(), errNoMonitor.Error()} {
		assert.Contains(t, text, "dplay doctor")
	}
	assert.Contains(t, errByHand.Error(), monitorEnds)
}
