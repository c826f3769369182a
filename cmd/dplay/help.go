package main

// decodeLong and decodeExamples are the help of "dplay decode". A test runs the examples.
const decodeLong = `Print every DirectPlay 4 message of packet captures (pcap or pcapng, plain or compressed with gzip or
zstd; "-" is standard input): number, #frame, time, source > destination, transport, command, fields that matter.

Findings, what is odd or could not be read, stand with a "!" under the message that they are about. A summary on
standard error accounts for every octet. Which traffic is DirectPlay is learnt from the traffic itself; where the
capture does not show enough, --port, --message-ids and --reliable help.

Hexadecimal text:
  FILE may also be text with the octets of messages: plain digits, with or without separators, or the output of xxd,
  hexdump -C, od -A x -t x1, tcpdump -X, Wireshark's Copy menu, or a C array. Offsets and characters beside the octets
  are recognised. An empty line or offset 0 begins the next message. A message may be an Ethernet or IPv4 packet, a
  datagram, or messages of TCP; without IPv4 they get the addresses 192.0.2.1 and 192.0.2.2. They have no times.

Filters:
  --filter takes an expression (github.com/expr-lang/expr: and or not == != < <= > >= in contains startsWith
  matches, any(list, condition), ...) that may use
    n, frames                   number of the message, those of its packets, as Wireshark counts
    time, relative, gap         when it was captured, as in JSON: time > "2006-01-02 15:04"; seconds since the file's
                                first message; seconds since the message before it in the file
    transport, src, dst         "tcp" or "udp", "ip:port"
    src_ip, src_port, dst_ip, dst_port
    size, command, dialect      octets, "PING", version word of the header (nil for game messages); of this program's
                                own messages "EXTENSION HELLO", "EXTENSION VIEW INSTALL", ...
    conversation, via           as in JSON; via is "" for most
    from, to                    ids of sender and addressee, nil where the message names none
    from_name, to_name          their names, "" where unknown
    link, again, missing        of frames of the reliable protocol: the direction between two players that it is about, how often it
                                was sent before, messageids that it leaves out
    answers, trip, foreign      the message that an ACK answers, and how many seconds later; true if it is another machine's
    payload                     the game's own octets, as hexadecimal digits; nil where the message has none
    findings                    list of codes
    header, message             all fields, under the keys that they have in JSON; ids are numbers, octets hexadecimal
    text(x)                     octets as characters: text(payload) contains "hello"
    bytes(x)                    octets to search: bytes("de ad") in payload, len(bytes(payload)) > 100
    has(flags, "NAME")          whether a flag word has a flag; flags.value is the number, flags.names the list
    player(x)                   whether the message names player x anywhere: id or name
    address(x)                  whether it came from, went to, or mentions x: "10.0.0.1", "10.0.0.1:2300", "10.0.0.0/8"
  A field that a message does not have is nil: comparing it is false. Alone it says whether it is there. The names
  are those of the JSON; "dplay help filters" says more.

Times:
  --time absolute has the date and the zone, which is the machine's (TZ=Asia/Tokyo, or another one) or UTC with --utc.

Payloads:
  Beside the digits of octets stands in quotes what can be read in them, if there is something. --payload text
  writes all octets so, in JSON as well: which octets are text, in 8 bits or UTF-16, is a guess.

JSON:
  One object a message; "dplay help json" describes the keys. With several files each begins with "file".
  A finding that belongs to no message is an object {"finding": ...}. With --filter or --follow such findings
  are left to the summary.

Exit status: 0 all was read, 1 an input could not be read, 2 wrong usage.`

const decodeExamples = `  dplay decode captures/lab/02-rzhost-packedoffset-gamemsg-w10join-full.pcap
  dplay decode -V --filter 'command == "ENUMSESSIONSREPLY"' captures/lab/*.pcap
  dplay decode --filter 'command != "PING" and relative > 2' --time absolute captures/lab/05-rzhost-two-w10-joiners.pcap
  dplay decode --filter 'from == 0x000003eb or player("HostGuy")' captures/lab/02-rzhost-packedoffset-gamemsg-w10join-full.pcap
  dplay decode --filter 'has(message.session_desc.flags, "PASSWORDREQUIRED")' captures/lab/07a-rzhost-password-w10join-right.pcap
  dplay decode --filter 'any(message.players, .short_name != nil)' captures/lab/02-rzhost-packedoffset-gamemsg-w10join-full.pcap
  dplay decode -x --payload none --filter 'transport == "udp" and size < 100' captures/lab/04-rzhost-w10join-unreliable-udp.pcap
  dplay decode --filter 'command startsWith "EXTENSION VIEW" and message.view.epoch > 2' captures/migration/killed-modern.pcapng
  dplay decode --filter 'text(payload) contains "says"' captures/lab/02-rzhost-packedoffset-gamemsg-w10join-full.pcap
  dplay decode --time delta --payload text captures/lab/04-rzhost-w10join-unreliable-udp.pcap
  dplay decode --stats captures/lab/05-rzhost-two-w10-joiners.pcap
  dplay decode --follow 2 captures/lab/05-rzhost-two-w10-joiners.pcap
  dplay decode --format ndjson captures/lab/13-w10join-group-setdata-setname-chat.pcap | jq -c '[.time, .command, .from_name]'
  xxd message.bin | dplay decode -V -
  tcpdump -i eth0 -U -w - | dplay decode -`
