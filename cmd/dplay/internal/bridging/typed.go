package bridging

import (
	"bufio"
	"context"
	"io"
	"strings"
)

// readLines gives the lines that are typed.
func readLines(ctx context.Context, in io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(in); s.Scan(); {
			select {
			case lines <- strings.TrimSpace(s.Text()):
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines
}

// typed are the words that can be typed, each with a function of the rest of the line. It returns lines for the user.
var typed = map[string]func(st *state, rest string) ([]string, error){
	"":     nothing,
	"quit": nothing,
	"y":    yes,
	"yes":  yes,
	"n":    no,
	"no":   no,
	"kick": func(st *state, who string) ([]string, error) { _, err := kick(st.s, who); return nil, err }, // an event tells that it was done
	"cut":  func(st *state, who string) ([]string, error) { _, err := cut(st.s, who); return nil, err },
	"host": func(st *state, _ string) ([]string, error) { return st.letHost(true) },
	"join": func(st *state, _ string) ([]string, error) { return st.letHost(false) },
	"who":  func(st *state, _ string) ([]string, error) { return st.who(), nil },
	"code": func(st *state, _ string) ([]string, error) { return []string{st.s.Code()}, nil },
}

func nothing(*state, string) ([]string, error)    { return nil, nil }
func yes(st *state, who string) ([]string, error) { return st.answerNamed(who, true) }
func no(st *state, who string) ([]string, error)  { return st.answerNamed(who, false) }

// obey does what a line says that somebody typed, and reports whether we leave.
func (r *shown) obey(text string) (leave bool) {
	word, rest, _ := strings.Cut(text, " ")
	word = strings.ToLower(word)
	lines := []string{"there are: who, code, kick NAME, cut NAME, yes and no for those who ask (or yes NAME), host and join for a game here " +
		"while another one hosts, quit"}
	if do, known := typed[word]; known {
		var err error
		if lines, err = do(&r.state, strings.TrimSpace(rest)); err != nil {
			lines = append(lines, err.Error())
		}
	}
	r.tell(lines...)
	return word == "quit"
}

// letHost has a game here host, or join, while another one hosts.
func (st *state) letHost(on bool) ([]string, error) {
	if err := st.s.LetHost(on); err != nil {
		return nil, err
	}
	st.letting = on
	return []string{st.hosts(st.s.Members(), `"join"`)}, nil
}

// answerNamed answers a newcomer of those that the user was told of: by its name, or the one that came first.
func (st *state) answerNamed(who string, yes bool) ([]string, error) {
	a, err := pick(st.asked, who)
	if err != nil {
		return nil, err
	}
	return st.answer(*a, yes)
}

// who returns a table of the machines, and sentences about those that host and the one that lets newcomers in.
func (st *state) who() []string {
	members := st.s.Members()
	lines := append(tableLines(members, 0), st.hosts(members, `"join"`))
	switch k := keeper(members); {
	case k == nil:
	case k.Self:
		lines = append(lines, "You let newcomers in, and can send machines away.")
	default:
		lines = append(lines, nameOf(k)+" lets newcomers in, and can send machines away.")
	}
	return lines
}
