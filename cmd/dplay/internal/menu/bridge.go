package menu

import (
	"fmt"

	"dplay4/cmd/dplay/internal/bridging"
	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
	"dplay4/dpsp/bridge/code"
)

// share asks for what who shares a session over the internet needs.
func (m *Menu) share() ([]string, error) {
	config, err := bridging.ReadConfig()
	if err != nil {
		m.say(cli.Plain(err))
	}
	text, relays := "Address of the relay that you share by (h: what is that?): ", config.Relays
	if len(relays) > 0 {
		text = "Address of the relay (Enter: " + relays[0].String() + "; h: what is that?): "
	}
	return m.named([]string{"bridge", "share"}, question{"--relay=", text, func(answer string) string {
		switch _, err := code.ParseRelay(answer); {
		case answer == "h":
			return aboutRelay
		case answer == "" && len(relays) > 0:
			return ""
		case answer == "":
			return "Please type the address of a relay, such as 203.0.113.5, or h."
		case err != nil:
			return cli.Plain(err)
		}
		return plainText(answer)
	}})
}

// aboutRelay says what a relay is.
const aboutRelay = "A relay is a machine with a public address at which players find each other. Ask in the community of your game whether there is one. Who has a server can run one: dplay help relay."

// code asks for what who joins such a session needs.
func (m *Menu) code() ([]string, error) {
	var with code.Code
	_, err := m.ask("The code (spaces and small letters do not matter): ", func(answer string) (wrong string) {
		var err error
		switch with, err = flags.ParseCode([]string{answer}); {
		case answer == "":
			return "Who shares the game sees the code, and tells it to you."
		case err != nil:
			return err.Error()
		}
		return ""
	})
	if err != nil {
		return nil, err
	}
	return m.named([]string{"bridge", "join", with.String()})
}

// named asks questions, and then for the name of a bridge.
func (m *Menu) named(args []string, questions ...question) ([]string, error) {
	args, err := m.asks(args, append(questions, question{"--name=", "Your name (Enter: that of this machine): ", plainText})...)
	if err == nil {
		fmt.Fprintln(m.Out, "\nLeave this window open while you play.")
	}
	return args, err
}
