package browse

import (
	"errors"
	"fmt"
	"strings"

	"dplay4/cmd/dplay/internal/cli"
	"dplay4/cmd/dplay/internal/flags"
)

const (
	// MaxHosts bounds the hosts that are asked one by one.
	MaxHosts = 64
	// mostHostsFile bounds the file of --hosts, in octets.
	mostHostsFile = 64 << 10
)

// readHosts reads the file of --hosts: a host a line; a # begins a comment. Errors name the file, and the line.
func readHosts(name string) ([]string, error) {
	text, err := cli.ReadFile(name, mostHostsFile)
	switch {
	case errors.Is(err, cli.ErrTooLarge):
		return nil, fmt.Errorf("%s: a list of hosts has at most %d octets", name, mostHostsFile)
	case err != nil:
		return nil, err
	}
	hosts, err := parseHosts(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s%w", name, err)
	}
	return hosts, nil
}

// parseHosts returns the hosts of a file. Errors continue its name.
func parseHosts(text string) (hosts []string, err error) {
	number := 0
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) { // which editors of Windows set before it
		number++
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
			continue
		case len(words) > 1:
			return nil, fmt.Errorf(", line %d: %s: write one host a line", number, flags.Quoted(strings.TrimSpace(line)))
		case len(hosts) == MaxHosts:
			return nil, fmt.Errorf(", line %d: at most %d hosts are asked one by one", number, MaxHosts)
		}
		hosts = append(hosts, words[0])
	}
	if len(hosts) == 0 {
		return nil, errors.New(": no host is in it") // or the whole network would be asked
	}
	return hosts, nil
}
