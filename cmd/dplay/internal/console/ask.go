package console

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/term"
)

// A Question reads one line from a terminal. Keys such as the arrows edit it, which the terminal's own lines would show as ^[[B.
type Question struct {
	in, out *os.File
	saved   *term.State // how the terminal was
}

// Ask returns a Question on the terminal that two streams are, nil if they are none, or if its own lines can be edited: those of Windows.
func Ask(in io.Reader, out io.Writer) *Question {
	from, to, ok := terminals(in, out)
	if !ok || runtime.GOOS == "windows" {
		return nil
	}
	return &Question{in: from, out: to}
}

// Line asks and returns the answer. It reads no octet behind the line. The error is io.EOF after Ctrl-C and Ctrl-D.
func (q *Question) Line(text string) (string, error) {
	above := strings.LastIndexByte(text, '\n') + 1
	_, err := io.WriteString(q.out, text[:above])
	if err != nil {
		return "", err
	}
	if q.saved, err = term.MakeRaw(int(q.in.Fd())); err != nil {
		return "", err
	}
	defer q.restore()
	defer q.guard()()
	line := term.NewTerminal(q, text[above:])
	line.SetSize(size(q.out)) //nolint:errcheck // nothing is written yet
	answer, err := line.ReadLine()
	if errors.Is(err, term.ErrPasteIndicator) {
		err = nil
	}
	if err != nil {
		io.WriteString(q.out, "\r\n") //nolint:errcheck // the error is returned already
	}
	return answer, err
}

func (q *Question) restore() { term.Restore(int(q.in.Fd()), q.saved) } //nolint:errcheck // nothing more can be done

// guard has a signal that ends the program restore the terminal before. The function that it returns ends that.
func (q *Question) guard() (end func()) {
	ending := []os.Signal{os.Interrupt, syscall.SIGTERM}
	signals, over := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(signals, ending...)
	go func() {
		select {
		case s := <-signals:
			q.restore()
			signal.Reset(ending...)
			if self, err := os.FindProcess(os.Getpid()); err == nil {
				self.Signal(s) //nolint:errcheck // the program goes on, if that fails
			}
		case <-over:
		}
	}()
	return func() {
		signal.Stop(signals)
		close(over)
	}
}

// Read reads one octet, because those behind the line are for the program that runs next.
func (q *Question) Read(b []byte) (int, error) {
	for {
		n, err := q.in.Read(b[:1])
		if n == 0 || b[0] != suspendKey {
			return n, err
		}
		q.restore()
		suspend()
		if _, err := term.MakeRaw(int(q.in.Fd())); err != nil {
			return 0, err
		}
	}
}

// Write writes what x/term draws.
func (q *Question) Write(b []byte) (int, error) { return q.out.Write(b) }
