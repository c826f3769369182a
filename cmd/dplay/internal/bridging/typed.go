package bridging

import (
	"bufio"
	"context"
	"io"
	"strings"

	"dplay4/dpsp/bridge"
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

// obey does what a line says that somebody typed, and reports whether we leave.
func (r *shown) obey(text string) (leave bool) {
	word, rest, _ := strings.Cut(text, " ")
	rest = strings.TrimSpace(rest)
	var err error
	switch word = strings.ToLower(word); word {
	case "":
	case "y", "yes", "n", "no":
		err = r.answer(rest, word[0] == 'y')
	case "kick":
		_, err = kick(r.s, rest) // an event tells that it was done
	case "cut":
		_, err = cut(r.s, rest)
	case "host", "join":
		if err = r.s.LetHost(word == "host"); err == nil {
			r.letting = word == "host"
			r.tell(r.hosts(r.s.Members()))
		}
	case "who":
		r.tell(r.who(r.s.Members())...)
	case "code":
		r.tell(r.s.Code())
	case "quit":
		return true
	default:
		r.tell("there are: who, code, kick NAME, cut NAME, yes and no for those who ask (or yes NAME), host and join for a game here " +
			"while another one hosts, quit")
	}
	if err != nil {
		r.tell(err.Error())
	}
	return false
}

// answer answers who asks, as it was told: by its name, or whoever came first. That one was refused an event tells.
func (r *shown) answer(who string, yes bool) error {
	a, err := pick(r.asked, who)
	if err != nil {
		return err
	}
	name := asker(a.Name)
	if err = r.asked.answer(r.s, a.ID, yes); err == nil && yes {
		r.tell(MayComeIn(name))
	}
	return err
}

// hosts says whose games host, and what to do.
func (r *shown) hosts(members []bridge.Member) string {
	return hostsText(members, r.steady.playing(), r.letting.back(`"join"`))
}

// who says who is in the session, who hosts, and who lets newcomers in.
func (r *shown) who(members []bridge.Member) []string {
	lines := append(tableLines(members, 0), r.hosts(members))
	switch k := keeper(members); {
	case k == nil:
	case k.Self:
		lines = append(lines, "You let newcomers in, and can send machines away.")
	default:
		lines = append(lines, nameOf(k)+" lets newcomers in, and can send machines away.")
	}
	return lines
}
