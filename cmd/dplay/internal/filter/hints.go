package filter

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"

	"dplay4/cmd/dplay/internal/cli"
)

// hinted returns the error of an expression that does not compile, with what its author may have meant: words of Wireshark's
// filters, or of the lines of decode, and slips.
func hinted(text string, err error) error {
	if e := foreignWord(text); e != nil {
		return e.Bind(file.NewSource(text))
	}
	if e := timeAsNumber(text); e != nil {
		return e.Bind(file.NewSource(text))
	}
	var place *file.Error
	if !errors.As(err, &place) {
		return err
	}
	if name, ok := strings.CutPrefix(place.Message, "unknown name "); ok {
		name, _, _ = strings.Cut(name, " ")
		place.Message += suggestName(name)
	}
	place.Message = plainly(place.Message)
	return place
}

// suggestName proposes what may have been meant by a name that is none.
func suggestName(name string) string {
	if e, ok := inLines[name]; ok {
		return fmt.Sprintf(": did you mean %s?", e)
	}
	if e := whereKeyIs(name); e != "" {
		return fmt.Sprintf(": did you mean %s?", e)
	}
	if s := cli.Nearest(name, append(Names(), "text", "bytes", "player", "address", "has")); s != "" {
		return s
	}
	return cli.Nearest(name, messageKeys[:])
}

// inLines are names that stand in the lines of decode or that come to mind, and what has to be written. Each is in the order
// in which it is tried.
var inLines = map[string]string{
	"payload": "payload", "data": "payload", "octets": "payload",
	"app": "message.application_guid or message.session_desc.application_guid", "instance": "message.session_desc.instance_guid",
	"session": "message.session_name", "player": `player("Ann")`, "group": "message.group_id", "host": "message.id_host",
	"tick": "message.tick_count", "flags": `has(message.flags, "LOCAL")`, "chat": "message.chat_message", "error": "message.error",
	"frame": "5 in frames", "number": "n", "len": "size", "length": "size", "seconds": "relative", "delta": "gap", "absolute": "time",
	"epoch": "time", "ip": "src_ip", "port": "src_port or dst_port", "seq": "message.reliable_frame.sequence",
	"msg": "message.reliable_frame.messageid", "serial": "message.reliable_frame.serial", "lost": "message.reliable_frame.nack_mask",
	"received": "message.reliable_frame.bytes_received", "short": `message.short_name`, "long": "message.long_name",
	"voice": "message.voice_data", "type": "command", "code": "findings", "finding": "findings",
}

// wireshark are words of Wireshark's filters and what they are here.
var wireshark = map[string]string{
	"ip.addr": `address("10.0.0.1")`, "ip.host": `address("10.0.0.1")`, "ip.src": "src_ip", "ip.dst": "dst_ip", "ip.src_host": "src_ip",
	"ip.dst_host": "dst_ip", "tcp.port": "src_port == 2300 or dst_port == 2300", "udp.port": "src_port == 2350 or dst_port == 2350",
	"tcp.srcport": "src_port", "udp.srcport": "src_port", "tcp.dstport": "dst_port", "udp.dstport": "dst_port",
	"tcp.stream": "conversation", "udp.stream": "conversation", "tcp.len": "size", "udp.length": "size", "frame.len": "size",
	"frame.number": "5 in frames", "frame.time": "time", "frame.time_epoch": "time", "frame.time_relative": "relative",
	"frame.time_delta": "gap", "frame.time_delta_displayed": "gap", "data.data": "payload", "data.len": "size",
	"tcp.payload": "payload", "udp.payload": "payload", "frame.protocols": "transport", "ip.proto": "transport",
	"dplay.command": `command == "PING"`, "dplay.size": "size", "dplay.dialect.version": "dialect", "dplay.token": "header.token",
	"dplay.saddr.ip": "header.sock_addr", "dplay.saddr.port": "header.sock_addr", "dplay.player_msg": "payload",
	"dplay.flags": `has(message.session_desc.flags, "MIGRATEHOST")`, "dplay.game.guid": "message.session_desc.application_guid",
	"dplay.instance.guid": "message.session_desc.instance_guid", "dplay.ping.id_from": "from",
	"dplay.ping.tick_count": "message.tick_count", "dplay.type_29.game_name": "message.session_name",
	"dplay.type_01.game_name": "message.session_name", "dplay.type02.game.guid": "message.application_guid",
	"eq": "==", "ne": "!=", "gt": ">", "lt": "<", "ge": ">=", "le": "<=", "xor": "!=",
	"tcp": `transport == "tcp"`, "udp": `transport == "udp"`, "dplay": "not needed, since there is nothing else",
}

var (
	quoted = regexp.MustCompile("\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'|`[^`]*`")
	// What Wireshark has of protocols, its words for operators, which stand between others, and the names of protocols.
	foreign = regexp.MustCompile(`\b(?:ip|ipv6|tcp|udp|frame|data|dplay|eth|_ws)(?:\.[a-z_0-9]+)+|[\w)]\s+(eq|ne|gt|lt|ge|le|xor)\s|(?:^|[^\w.])(tcp|udp|dplay)\b`)
)

// foreignWord returns an error about the first word of Wireshark's in an expression, with what it is here.
func foreignWord(text string) *file.Error {
	bare := quoted.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat("x", len(s)) })
	m := foreign.FindStringSubmatchIndex(bare)
	if m == nil {
		return nil
	}
	from, to := m[0], m[1]
	for i := 2; i < len(m); i += 2 {
		if m[i] >= 0 {
			from, to = m[i], m[i+1]
		}
	}
	word := bare[from:to]
	here, ok := wireshark[word]
	switch {
	case ok:
	case strings.HasPrefix(word, "dplay."):
		here = `command, size, dialect, header.FIELD or message.FIELD; "dplay decode --format ndjson" shows the fields`
	default:
		here = `not known: "dplay help filters" has the names that are`
	}
	return &file.Error{Location: file.Location{From: len([]rune(text[:from])), To: len([]rune(text[:to]))},
		Message: fmt.Sprintf("%s is Wireshark's: here it is %s", word, here)}
}

// timeAsNumber returns an error about "time" where it stands as the number of seconds, which it was once.
func timeAsNumber(text string) *file.Error {
	tree, err := parser.Parse(text)
	if err != nil {
		return nil
	}
	w := &timeCheck{}
	ast.Walk(&tree.Node, w)
	return w.err
}

type timeCheck struct{ err *file.Error }

// Visit implements ast.Visitor.
func (w *timeCheck) Visit(node *ast.Node) {
	n, ok := (*node).(*ast.BinaryNode)
	if !ok || w.err != nil {
		return
	}
	for _, pair := range [][2]ast.Node{{n.Left, n.Right}, {n.Right, n.Left}} {
		switch pair[1].(type) {
		case *ast.IntegerNode, *ast.FloatNode, *ast.UnaryNode, *ast.BinaryNode:
			if named(pair[0], "time") && (ordering[n.Operator] || sums[n.Operator] != nil || n.Operator == "in") {
				w.err = &file.Error{Location: pair[0].Location(), Message: "time is when a message was captured, as in NDJSON, such as " +
					timeExample + "; seconds since the first message are relative"}
			}
		}
	}
}
