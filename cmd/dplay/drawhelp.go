package main

// drawLong and drawExamples are the help of "dplay draw". A test runs the examples.
const drawLong = `Draw a packet capture (pcap or pcapng, plain or compressed with gzip or zstd; "-" is standard input) as a sequence
diagram: a lane for each machine with its players' names, an arrow for each message with the fields that matter, and
the silences between. Messages that repeat are folded: "PLAYERMESSAGE 412 messages, 36-76 octets". What "dplay doctor"
finds wrong is marked where it shows.

Formats:
  text      for the terminal; --width, --ascii, --color
  svg       one file that needs nothing else, light or dark as its reader likes it
  mermaid   for Markdown on sites that draw it. Mermaid takes no long text: what is beyond is left out, with a note

--report writes one HTML page that opens from a file, without a network: the diagram, each session with its game and
who hosted it from when to when, who was there, the chat, plots of message rates and of the round trips of pings, the findings, and a
list of all messages that can be searched, each with all its fields. It holds what the capture holds: names, chat, addresses, passwords.

Files of --output and --report get their names when they are whole, and replace others only with --force. A new one is for
you alone (mode 0600): to publish it, look at it first, and then change its mode. One that is replaced keeps its mode.

Exit status: 0 all was read and written, 1 an input could not be read or an output not written, 2 wrong usage.`

const drawExamples = `  dplay draw captures/lab/02-rzhost-packedoffset-gamemsg-w10join-full.pcap
  dplay draw --width 100 --ascii --conversation 2 captures/lab/05-rzhost-two-w10-joiners.pcap
  dplay draw --conversation 10.77.0.1,10.77.0.2 captures/lab/05-rzhost-two-w10-joiners.pcap
  dplay draw --filter 'command != "PING"' --format mermaid captures/lab/02-rzhost-packedoffset-gamemsg-w10join-full.pcap
  dplay draw -o session.svg captures/interop/ourhost-third-machine.pcap
  dplay draw --report session.html captures/migration/killed-modern.pcapng`
