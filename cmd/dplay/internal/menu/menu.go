// Package menu lets people choose commands, line by line.
package menu

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unicode"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/console"
)

// A Menu lets people choose commands. It asks line by line.
type Menu struct {
	cli.Streams
	Version string
	Run     func(args []string) error // runs a command line of this program, to its end; nil: in a process of its own
	ended   bool                      // somebody wants this program to end
}

// A choice is a line of the menu.
type choice struct {
	word string // its first letters choose it
	text string
	args func(*Menu) ([]string, error) // asks for what the command line needs
}

var choices = []choice{
	{"find", "Find a game", (*Menu).find},
	{"join", "Join a game, to see who is there and to chat", (*Menu).join},
	{"share", "Share a game over the internet, with friends who get a code", (*Menu).share},
	{"code", "Join a game over the internet, by a code", (*Menu).code},
	{"why", "Why can nobody join?", (*Menu).why},
	{"record", "Record the network for somebody who helps", (*Menu).record},
	{"help", "Help: the first steps", func(*Menu) ([]string, error) { return []string{"help", "start"}, nil }},
	{"quit", "Quit", nil},
}

// Show shows the menu until it is left, after judging captures.
func (m *Menu) Show(files []string) error {
	fmt.Fprintf(m.Out, "Games with DirectPlay 4 on a network: dplay %s\n", m.Version)
	if m.Run == nil {
		m.Run = m.asProgram
	}
	err := error(nil)
	if len(files) > 0 {
		err = m.does(append([]string{"doctor", "--"}, files...))
	}
	for err == nil && !m.ended {
		fmt.Fprintln(m.Out)
		for i, c := range choices {
			fmt.Fprintf(m.Out, "  %d  %s%s  %s\n", i+1, strings.ToUpper(c.word[:1]), c.word[1:]+strings.Repeat(" ", 6-len(c.word)), c.text)
		}
		var chosen *choice
		if chosen, err = m.choose(); err != nil || chosen.args == nil {
			break
		}
		var args []string
		if args, err = chosen.args(m); err == nil {
			err = m.does(args)
		}
	}
	if errors.Is(err, io.EOF) {
		fmt.Fprintln(m.Out)
		return nil
	}
	return err
}

// choose waits until something of the menu is chosen.
func (m *Menu) choose() (*choice, error) {
	chosen := -1
	_, err := m.ask("\nNumber or first letter: ", func(answer string) string {
		answer = strings.ToLower(answer)
		chosen = slices.IndexFunc(choices, func(c choice) bool { return answer != "" && strings.HasPrefix(c.word, answer) })
		if n, err := strconv.Atoi(answer); err == nil {
			chosen = n - 1
		}
		if chosen < 0 || chosen >= len(choices) {
			return fmt.Sprintf("Please type a number from 1 to %d, or the first letter of a word above.", len(choices))
		}
		return ""
	})
	if err != nil {
		return nil, err
	}
	return &choices[chosen], nil
}

// does prints a command line, runs it, and waits for Enter.
func (m *Menu) does(args []string) error {
	fmt.Fprintf(m.Out, "\nThis runs: %s\n(Ctrl-C ends it.)\n\n", commandLine(args))
	if err := m.Run(args); err != nil || m.ended {
		return err
	}
	_, err := m.ask("\n(It has ended.)\nPress Enter for the menu. ", func(string) string { return "" })
	return err
}

const askHost = "Address of the machine that hosts (Enter: "

// A question is one whose answer is an argument of the command, behind its flag. An empty answer is none.
type question struct {
	flag, text string
	wrong      func(answer string) string
}

// asks asks questions, and returns the command line with the answers.
func (m *Menu) asks(args []string, questions ...question) ([]string, error) {
	for _, q := range questions {
		answer, err := m.ask(q.text, q.wrong)
		if err != nil {
			return nil, err
		}
		if answer != "" {
			args = append(args, q.flag+answer) // one word: it may begin with a dash
		}
	}
	return args, nil
}

func (m *Menu) find() ([]string, error) {
	return m.asks([]string{"sessions"}, question{"", askHost + "ask the whole network): ", oneWord})
}

func (m *Menu) join() ([]string, error) {
	return m.asks([]string{"join"},
		question{"", askHost + "the only game on this network): ", oneWord},
		question{"--session=", "Name of the session (Enter: the only one there): ", plainText},
		question{"--password=", "Its password (Enter: none): ", plainText},
		question{"--player=", "Your name (Enter: guest): ", plainText})
}

func (m *Menu) why() ([]string, error) {
	return m.asks([]string{"doctor", "--live"}, question{"", askHost + "just look around): ", oneWord})
}

// mostMinutes is a day: nobody means more.
const mostMinutes = 24 * 60

func (m *Menu) record() ([]string, error) {
	const usual = "10"
	minutes, err := m.ask("For how many minutes (Enter: "+usual+"): ", func(answer string) string {
		if n, err := strconv.Atoi(cmp.Or(answer, usual)); err != nil || n < 1 || n > mostMinutes {
			return fmt.Sprintf("Please type a number from 1 to %d.", mostMinutes)
		}
		return ""
	})
	return []string{"record", "--for", cmp.Or(minutes, usual) + "m"}, err
}

// oneWord returns what is wrong with an answer that has to be one word and no flag.
func oneWord(answer string) string {
	if strings.ContainsFunc(answer, unicode.IsSpace) || strings.HasPrefix(answer, "-") {
		return "Please type an address such as 192.0.2.7, or a machine's name."
	}
	return plainText(answer)
}

// plainText returns what is wrong with an answer that is shown as a part of a command line.
func plainText(answer string) string {
	if strings.ContainsFunc(answer, unicode.IsControl) || strings.ContainsAny(answer, `"`) {
		return "Please type it without quotes and special keys."
	}
	return ""
}

// longestAnswer bounds a line, in octets.
const longestAnswer = 1000

// ask asks until nothing is wrong with the answer. The error is io.EOF at the end of the input.
func (m *Menu) ask(question string, wrong func(answer string) string) (string, error) {
	for {
		line, err := m.line(question)
		if err != nil {
			return "", err
		}
		answer := strings.ToValidUTF8(strings.TrimSpace(line), "")
		reason := wrong(answer)
		if reason == "" {
			return answer, nil
		}
		m.say(reason)
	}
}

// line asks, and returns the line that was typed. It reads octet by octet, because the rest is for the command that runs next.
func (m *Menu) line(question string) (string, error) {
	if q := console.Ask(m.In, m.Out); q != nil {
		line, err := q.Line(question)
		if err != nil {
			return "", endOf(err)
		}
		return line[:min(len(line), longestAnswer)], nil
	}
	if _, err := io.WriteString(m.Out, question); err != nil {
		return "", fmt.Errorf("writing the output: %w", err)
	}
	var line []byte
	for b := []byte{0}; b[0] != '\n'; {
		n, err := m.In.Read(b)
		if n > 0 && len(line) < longestAnswer {
			line = append(line, b[0])
		} else if err != nil {
			return "", endOf(err)
		}
	}
	return string(line), nil
}

// say prints a text in lines that fit. The next question reports errors of the output.
func (m *Menu) say(text string) {
	m.Out.Write(cli.AppendWrapped(nil, "", "", text, cli.Width(m.Out)-1)) //nolint:errcheck // see above
}

// endOf returns io.EOF for it, and for a terminal that is gone; other errors say what they are about.
func endOf(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.EIO) {
		return io.EOF
	}
	return fmt.Errorf("reading the input: %w", err)
}

// bareWord matches words that shells take without quotes.
var bareWord = regexp.MustCompile(`^[\pL\p{Nd}_.:/=-]+$`)

// commandLine writes a command line as shells take it.
func commandLine(args []string) string {
	line := "dplay"
	for _, a := range args {
		switch {
		case strings.ContainsAny(a, "$`\\!%"): // shells read something into these, even between double quotes
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		case !bareWord.MatchString(a):
			a = `"` + a + `"`
		}
		line += " " + a
	}
	return line
}

// asProgram runs a command line in a process of its own: it reads the input that the menu reads, and at its end none of it is
// left waiting for a line that is the menu's.
func (m *Menu) asProgram(args []string) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding this program: %w", err)
	}
	return m.wait(exec.Command(self, args...))
}

// wait runs a process to its end. An interrupt is for that process alone; what ends this one is for both.
func (m *Menu) wait(cmd *exec.Cmd) error {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = m.In, m.Out, m.Err
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting this program: %w", err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	for {
		select {
		case s := <-signals:
			if s != os.Interrupt {
				m.ended = true
				_ = cmd.Process.Signal(s) // it is gone already, if that fails
			}
		case err := <-done:
			var status *exec.ExitError
			if errors.As(err, &status) {
				return nil // it said itself why
			}
			return err
		}
	}
}
