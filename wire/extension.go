package wire

import "dplay4/wire/internal/field"

// CmdExtension is the command of [Extension]. The specification does not assign it: it reads "D4" on the wire.
const CmdExtension Command = 0x3444

// ExtensionRelease is the release of the extension that this package writes.
const ExtensionRelease = 1

// Extension is the one message that is this project's own: everything that its peers tell each other beyond
// DirectPlay 4 is in it. Other implementations ignore it like every unknown command; Wine 10 was seen to. A machine sends
// [ExtensionHello] first, and only to machines whose players bear our mark ([SPData.Marked]). Of the other kinds, only
// [ExtensionView] goes to a machine that did not answer: to members that were lost, to marked machines, to programs that
// another one named, and to programs that sent one themselves or addressed this machine like a member.
//
// Its layout after the header is Release (2 octets), Kind (2), IDFrom (4), and a body that depends on the kind.
type Extension struct {
	Release uint16        // ExtensionRelease, if Body is not nil
	Kind    ExtensionKind // that of Body, if it is not nil
	From    PlayerID      // IDFrom: the sender's system player
	Body    ExtensionBody // nil where release or kind are unknown
	Octets  []byte        // the body, if Body is nil
	Layout  Layout
}

// An ExtensionBody is what follows in an [Extension]: a pointer to one of the types named after the kinds.
type ExtensionBody interface {
	kind() ExtensionKind
	fields(c *codec)
}

// NewExtension returns the extension of a body.
func NewExtension(from PlayerID, body ExtensionBody) *Extension {
	return &Extension{Release: ExtensionRelease, Kind: body.kind(), From: from, Body: body}
}

// Command returns CmdExtension.
func (m *Extension) Command() Command { return CmdExtension }

func (m *Extension) fields(c *codec) {
	c.begin(&m.Layout)
	release, kind := m.Release, m.Kind
	if c.Encoding && m.Body != nil {
		release, kind = ExtensionRelease, m.Body.kind()
	}
	c.Half("Release", &release, field.Number, nil)
	c.kind("Kind", &kind)
	c.id("IDFrom", &m.From)
	if !c.Encoding {
		m.Release, m.Kind, m.Body, m.Octets = release, kind, nil, nil
		if release == ExtensionRelease {
			m.Body = newExtensionBody(kind)
		}
	}
	if m.Body == nil {
		c.Rest("Body", &m.Octets)
		return
	}
	m.Body.fields(c)
}
