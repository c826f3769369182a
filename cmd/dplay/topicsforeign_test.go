package main

import (
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"dplay4/wire"
)

// foreignLine matches a line that shows a command of other programs: of Windows, PowerShell, Linux and Wine.
var foreignLine = regexp.MustCompile(`^ +(sudo |netsh |dism |reg |(Get|Set|New|Remove|Enable)-[A-Z]|[A-Z]+=\S+ |protontricks )`)

// A word of a grammar is a regular expression for a whole word of a command line.
const (
	quotedName = `"DirectPlay (TCP|UDP)"`
	portList   = `(?:[\d-]+,)*[\d-]+`
)

// foreign are the forms of the commands that are shown, as their makers document them: netsh's "advfirewall firewall" context,
// DISM, reg export, the cmdlets with the parameters that they have, ufw(8), firewall-cmd(1), nft(8), winetricks and protontricks.
var foreign = []*regexp.Regexp{
	regexp.MustCompile(`^netsh advfirewall firewall add rule name=` + quotedName + ` dir=in action=allow protocol=(TCP|UDP) localport=` + portList + `$`),
	regexp.MustCompile(`^netsh advfirewall firewall (show|delete) rule name=` + quotedName + `$`),
	regexp.MustCompile(`^dism /online /(enable-feature /featurename:DirectPlay /all|get-featureinfo /featurename:DirectPlay)$`),
	regexp.MustCompile(`^reg export HKLM(\\[A-Za-z0-9]+)+ [a-z]+\.reg$`),
	regexp.MustCompile(`^sudo ufw allow \d+(,\d+:\d+)*/(tcp|udp)$`),
	regexp.MustCompile(`^sudo systemctl enable --now dplay-relay$`),
	regexp.MustCompile(`^sudo firewall-cmd( --add-port=\d+(-\d+)?/(tcp|udp))+$`),
	regexp.MustCompile(`^sudo nft add rule inet filter input (tcp|udp) dport '\{ \d+(, \d+-\d+)* \}' accept$`),
	regexp.MustCompile(`^WINEPREFIX=~/\.[a-z-]+ winetricks directplay$`),
	regexp.MustCompile(`^WINEDLLOVERRIDES="dplayx,dplay=n,b" %command%$`),
	regexp.MustCompile(`^protontricks \d+ directplay$`),
	regexp.MustCompile(`^WINEPREFIX=~/\.[a-z-]+ WINEDLLOVERRIDES=dplayx=(b|n|n,b) wine [a-z]+\.exe$`),
}

// cmdlets are those of PowerShell that are shown: the parameters that they need, with what each takes.
var cmdlets = map[string]map[string]string{
	"Enable-WindowsOptionalFeature": {"Online": "", "FeatureName": `DirectPlay`, "All": ""},
	"Get-WindowsOptionalFeature":    {"Online": "", "FeatureName": `DirectPlay`},
	"New-NetFirewallRule": {"DisplayName": quotedName, "Direction": `Inbound`, "Action": `Allow`, "Protocol": `TCP|UDP`,
		"LocalPort": portList},
	"Get-NetFirewallRule":    {"DisplayName": `"DirectPlay\*"`},
	"Remove-NetFirewallRule": {"DisplayName": `"DirectPlay\*"`},
	"Get-NetIPInterface":     {"AddressFamily": `IPv4|IPv6`},
	"Set-NetIPInterface":     {"InterfaceAlias": `"[^"]+"`, "AddressFamily": `IPv4|IPv6`, "InterfaceMetric": `\d+`},
}

// cmdletName matches a line that begins with one.
var cmdletName = regexp.MustCompile(`^[A-Z][a-z]+-[A-Z]`)

// powerShellWord splits a line: text in double quotes is one word.
var powerShellWord = regexp.MustCompile(`"[^"]*"|\S+`)

// cmdletWrong says what is wrong with a command line of PowerShell; "" for nothing.
func cmdletWrong(line string) string {
	words := powerShellWord.FindAllString(line, -1)
	takes, ok := cmdlets[words[0]]
	if !ok {
		return "an unknown cmdlet"
	}
	given := map[string]bool{}
	for i := 1; i < len(words); i++ {
		name, isName := strings.CutPrefix(words[i], "-")
		form, known := takes[name]
		switch {
		case !isName:
			return words[i] + " belongs to no parameter"
		case !known || given[name]:
			return "-" + name + " is unknown, or twice"
		case form != "":
			if i++; i == len(words) || !regexp.MustCompile(`^(?:`+form+`)$`).MatchString(words[i]) {
				return "-" + name + " does not take that"
			}
		}
		given[name] = true
	}
	if len(given) != len(takes) {
		return "a parameter is missing"
	}
	return ""
}

// foreignWrong says what is wrong with a command line of another program; "" for nothing.
func foreignWrong(line string) string {
	if cmdletName.MatchString(line) {
		if why := cmdletWrong(line); why != "" {
			return why
		}
	} else if !slices.ContainsFunc(foreign, func(r *regexp.Regexp) bool { return r.MatchString(line) }) {
		return "of no known form"
	}
	return portsWrong(line)
}

// numbers finds ports and ranges of them.
var numbers = regexp.MustCompile(`\b(\d{4,5})(?:[-:](\d{4,5}))?\b`)

// opensPorts matches a command that opens some.
var opensPorts = regexp.MustCompile(`localport=|-LocalPort|--add-port|dport|ufw allow`)

// portsWrong says whether a command that opens ports leaves out one that is needed; "" if not.
func portsWrong(line string) string {
	var all []wire.Ports
	for _, m := range numbers.FindAllStringSubmatch(line, -1) {
		first, _ := strconv.Atoi(m[1])
		last, err := strconv.Atoi(m[2])
		if err != nil {
			last = first
		}
		all = append(all, wire.Ports{First: uint16(first), Last: uint16(last)})
	}
	if !opensPorts.MatchString(line) {
		return ""
	}
	for _, need := range []wire.Ports{{First: 47624, Last: 47624}, wire.StreamPorts, wire.DatagramPorts} {
		if !slices.ContainsFunc(all, func(p wire.Ports) bool { return p.First <= need.First && need.Last <= p.Last }) {
			return fmt.Sprintf("it does not open %s", need)
		}
	}
	return ""
}

// foreignCommands returns the commands of other programs that topics and help show, without dplay's own and the tools for captures.
func foreignCommands() (list []shown) {
	add := func(where, text string) {
		for line := range strings.Lines(text) {
			if foreignLine.MatchString(line) {
				list = append(list, shown{strings.TrimSpace(line), where})
			}
		}
	}
	for _, topic := range topics {
		add("dplay help "+topic.name, topic.text())
	}
	everyCommand(func(c *cobra.Command) { add(c.CommandPath(), c.Long) })
	return list
}

// TestForeignCommands holds each command of other programs against the form that it has to have, and the ports that it opens
// against those that games need. Twins for TCP and UDP are the same but for that.
func TestForeignCommands(t *testing.T) {
	list := foreignCommands()
	assert.Greater(t, len(list), 20)
	for _, s := range list {
		assert.Empty(t, foreignWrong(s.command), "%s: %s", s.where, s.command)
		if twin := swapTransport(s.command); twin != s.command && strings.Contains(s.command, "47624") {
			assert.True(t, slices.ContainsFunc(list, func(o shown) bool { return o.command == twin }), "%s: no twin: %s", s.where, twin)
		}
	}
	for line, why := range map[string]string{
		`netsh advfirewall firewall add rule name="DirectPlay TCP" dir=in action=allow protocol=TCP localport=2300-2400`: "does not open 47624",
		`netsh advfirewall firewal show rule name="DirectPlay TCP"`:                                                      "no known form",
		`sudo ufw allow 47624,2300:2340/tcp`:                                                                             "does not open 2300-2349",
		`New-NetFirewallRule -DisplayName "DirectPlay TCP" -Direction Inbound -Action Allow -Protocol TCP`:               "missing",
		`Get-NetIPInterface -AddressFamily IPv5`:                                                                         "does not take that",
		`Get-NetIPInterface IPv4`:                                                                                        "belongs to no parameter",
		`Get-NetIPInterfaces -AddressFamily IPv4`:                                                                        "unknown cmdlet",
	} {
		assert.Contains(t, foreignWrong(line), why, "%s", line)
	}
}

// swapTransport returns a command with TCP for UDP, and the other way round.
func swapTransport(command string) string {
	return strings.NewReplacer("TCP", "UDP", "UDP", "TCP", "tcp", "udp", "udp", "tcp").Replace(command)
}

// TestShownFirewall runs the commands for nftables in a network of their own, and looks at what they open there.
func TestShownFirewall(t *testing.T) {
	var script strings.Builder
	script.WriteString("set -e\nnft add table inet filter\nnft add chain inet filter input '{ type filter hook input priority 0; policy drop; }'\n")
	shown := 0
	for _, s := range foreignCommands() {
		if command, ok := strings.CutPrefix(s.command, "sudo nft "); ok {
			script.WriteString("nft " + command + "\n")
			shown++
		}
	}
	require.Equal(t, 2, shown)
	script.WriteString("nft list chain inet filter input\n")
	if _, err := exec.LookPath("nft"); err != nil {
		t.Skip("there is no nft")
	}
	out, err := exec.Command("unshare", append(ownNetwork(t), "sh", "-c", script.String())...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, transport := range []string{"tcp", "udp"} {
		assert.Regexp(t, transport+` dport \{ 2300-2400, 47624 \} accept`, string(out))
	}
}
