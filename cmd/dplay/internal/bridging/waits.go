package bridging

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/events"
	"dplay4/dpsp/bridge"
	"dplay4/dpsp/bridge/link"
)

// A waits tells what is waited for before the session is there.
type waits struct {
	out    io.Writer
	ndjson bool
	screen *os.File // on which it is one line, of which nothing stays; nil: none
}

func (o *Options) waits() *waits { return &waits{o.Std.Out, o.NDJSON, o.screen()} }

// tell tells it.
func (w *waits) tell(what bridge.Wait) {
	text := WaitText(what)
	switch {
	case w.ndjson:
		tellObject(w.out, events.Begin(nil, time.Now(), waitingName).Add("for", what))
	case w.screen == nil:
		fmt.Fprintln(w.out, text)
	default:
		if width, _, err := term.GetSize(int(w.screen.Fd())); err == nil {
			text = ansi.Truncate(text, width-1, "~")
		}
		fmt.Fprint(w.out, wipe+text)
	}
}

// wipe empties the line.
const wipe = "\r" + ansi.EraseEntireLine

// over says that nothing is waited for any more.
func (w *waits) over() {
	if w.screen != nil {
		fmt.Fprint(w.out, wipe)
	}
}

// tellObject prints an object that is no event of a session.
func tellObject(to io.Writer, o events.Object) {
	out := cli.NewOutput(to)
	out.Add(o.End())
	out.Flush()
}

// failed tells a program why there is no session.
func (o *Options) failed(err error, text string) {
	o.Until.Printed(failedName)
	if !o.NDJSON {
		return
	}
	reason := "other"
	for _, r := range []struct {
		err  error
		word string
	}{
		{link.ErrNoRelay, "no-relay"}, {link.ErrNobody, "nobody"}, {bridge.ErrNotLetIn, "not-let-in"}, {bridge.ErrSentAway, "sent-away"},
		{bridge.ErrFull, "full"}, {bridge.ErrAnother, "another-bridge"}, {bridge.ErrLater, "version"}, {errLate, "late"},
		{context.Canceled, "interrupted"},
	} {
		if errors.Is(err, r.err) {
			reason = r.word
			break
		}
	}
	tellObject(o.Std.Out, events.Begin(nil, time.Now(), failedName).Add("reason", reason).Add("text", text))
}
