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

// typed are the words that can be typed, but for quit, with what they do with the rest of the line.
var typed = map[string]func(r *shown, rest string) error{
	"":     func(*shown, string) error { return nil },
	"y":    yes,
	"yes":  yes,
	"n":    no,
	"no":   no,
	"kick": func(r *shown, who string) error { _, err := kick(r.s, who); return err }, // an event tells that it was done
	"cut":  func(r *shown, who string) error { _, err := cut(r.s, who); return err },
	"host": func(r *shown, _ string) error { return r.letHost(true) },
	"join": func(r *shown, _ string) error { return r.letHost(false) },
	"who":  func(r *shown, _ string) error { r.tell(r.who(r.s.Members())...); return nil },
	"code": func(r *shown, _ string) error { r.tell(r.s.Code()); return nil },
}

func yes(r *shown, who string) error { return r.answer(who, true) }
func no(r *shown, who string) error  { return r.answer(who, false) }

// obey does what a line says that somebody typed, and reports whether we leave.
func (r *shown) obey(text string) (leave bool) {
	word, rest, _ := strings.Cut(text, " ")
	word = strings.ToLower(word)
	do, known := typed[word]
	if !known && word != "quit" {
		r.tell("there are: who, code, kick NAME, cut NAME, yes and no for those who ask (or yes NAME), host and join for a game here " +
			"while another one hosts, quit")
	}
	if known {
		if err := do(r, strings.TrimSpace(rest)); err != nil {
			r.tell(err.Error())
		}
	}
	return word == "quit"
}

// letHost has a game here host, or join, while another one hosts.
func (r *shown) letHost(on bool) error {
	err := r.s.LetHost(on)
	if err == nil {
		r.letting = letting(on)
		r.tell(r.hosts(r.s.Members()))
	}
	return err
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
