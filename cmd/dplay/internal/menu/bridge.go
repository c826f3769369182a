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
	question, relays := "Address of the relay that you share by (h: what is that?): ", config.Relays
	if len(relays) > 0 {
		question = "Address of the relay (Enter: " + relays[0].String() + "; h: what is that?): "
	}
	relay, err := m.ask(question, func(answer string) string {
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
	})
	args := []string{"bridge", "share"}
	if relay != "" {
		args = append(args, "--relay="+relay)
	}
	return m.named(args, err)
}

// aboutRelay says what a relay is.
const aboutRelay = "A relay is a machine with a public address at which players find each other. Ask in the community of your game whether " +
	"there is one. Who has a server can run one: dplay help relay."

// code asks for what who joins such a session needs.
func (m *Menu) code() ([]string, error) {
	var with code.Code
	_, err := m.ask("The code (spaces and small letters do not matter): ", func(answer string) (wrong string) {
		var err error
		if with, err = flags.ParseCode([]string{answer}); answer == "" {
			return "Who shares the game sees the code, and tells it to you."
		} else if err != nil {
			return err.Error()
		}
		return ""
	})
	return m.named([]string{"bridge", "join", with.String()}, err)
}

// named asks for the name of a bridge, unless something went wrong.
func (m *Menu) named(args []string, err error) ([]string, error) {
	if err != nil {
		return nil, err
	}
	name, err := m.ask("Your name (Enter: that of this machine): ", plainText)
	if name != "" {
		args = append(args, "--name="+name)
	}
	fmt.Fprintln(m.Out, "\nLeave this window open while you play.")
	return args, err
}
