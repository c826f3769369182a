// Package doctor finds the reasons for which people cannot find or join a game. It judges a packet capture, or the results of tests on this
// machine. It reports each fault in plain words, with its evidence, its likely cause and advice.
//
// Examine takes one way through a capture:
//
//	captures.Read -> collector -> facts -> rules -> Report
//
// The collector reads a capture once, and passes each message to the handler of its command, in collect.go. The handlers store the facts that
// rules ask about: questions and answers, joins step by step, attempts to connect, addresses and ports, pings, and missing parts of the
// capture. A machine has the facts about one machine, and a room is the present state of a session. After the last message, settle finds the
// facts that concern the whole capture, such as the questions that nobody answered, each with its outcome. The limits are in limits.go.
//
// ExamineLive has the same rules judge a Live, which "dplay doctor --live" fills in: this package opens no sockets.
//
// # Rules
//
// A rule is a row of the table in rules.go: its code and severity, and functions that return findings about the facts of a capture or about
// a Live. The order of the rows is that of findings which are equally serious. Most functions have one form: each calls a function
// with the elements of a list, and that function returns a finding or nil. A function and the facts for it are in the file of their
// topic. Functions for lists are in lists.go.
//
// The page about a rule, docs/CODE.md, is part of the program: Explain. The page has the only copy of cause and advice, and
// judge reads them there: the first paragraphs of "Why it happens" and "What to do", or the labelled paragraphs of a case that
// the finding names. The topic's test file has examples that the rule must report, and similar ones that it must not report.
// So a new finding is a function, a row, a page and its examples: four files. A test fails if one of them is missing.
//
// A rule reports only faults that the capture shows. A missing answer counts if the capture goes on for a while, and if nothing else
// explains the gap, because a false alarm sends people the wrong way. TestCaptures has the verdict on every capture of the project.
package doctor
