// Package doctor says why people cannot find or join a game: it judges a packet capture, or what was found out on this
// machine, and reports each thing that went wrong in plain words, with its evidence, its likely cause and what to do.
//
// Examine takes one way through a capture:
//
//	captures.Read -> collector -> facts -> rules -> Report
//
// The collector reads a capture once. It keeps of each message, and of what happens below the messages, the facts that rules ask
// about: questions and answers, joins step by step, attempts to connect, addresses and ports, pings, and what the capture lacks.
// A room is the present state of a session: its description, its host, and who is in it. The limits of that are in limits.go.
//
// ExamineLive has the same rules judge a Live, which "dplay doctor --live" fills in: this package opens no sockets.
//
// # Rules
//
// A rule is a row of the table in rules.go: its code and severity, and functions that look at the facts of a capture or at
// a Live. The order of the rows is that of findings which are equally serious. The functions are in the file of their topic, and
// so is what the collector keeps for them. A rule that asks for what no other rule needs watches the messages itself.
//
// The page about a rule, docs/CODE.md, is part of the program: Explain. The page has the only copy of cause and advice, and
// judge reads them there: the first paragraphs of "Why it happens" and "What to do", or the labelled paragraphs of a case that
// the finding names. The topic's test file has examples that the rule must report, and similar ones that it must not report.
// So a new finding is a function, a row, a page and its examples: four files. A test fails if one of them is missing.
//
// A rule tells what the capture shows. Where something is missing, it wants to see that the capture goes on for a
// while, and that nothing else explains it: a false alarm sends people the wrong way. TestCaptures holds the verdict on
// every capture of the project.
package doctor
