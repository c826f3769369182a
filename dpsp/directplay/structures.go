package directplay

import "dplay4/wire"

// A Name is DPNAME: what a player or group is called. nil is NULL.
type Name struct{ Short, Long *string }

// Block returns the structure.
func (n *Name) Block(f Face) Block {
	l := layout{face: f}
	n.write(&l)
	return l.block()
}

func (n *Name) write(l *layout) {
	l.align() // a structure with pointers stands where one may stand
	l.word(uint32(8+2*l.face.pointer()), 0)
	l.text(n.Short)
	l.text(n.Long)
}

// A SessionDesc is DPSESSIONDESC2.
type SessionDesc struct {
	WrongSize                  bool // dwSize is not that of the structure
	Flags                      wire.SessionFlags
	Instance, Application      wire.GUID
	MaxPlayers, CurrentPlayers uint32
	Name, Password             *string // nil is NULL
	Reserved1, Reserved2       uint32
	User                       [4]uint32
}

// Block returns the structure.
func (d *SessionDesc) Block(f Face) Block {
	l := layout{face: f}
	d.write(&l)
	return l.block()
}

func (d *SessionDesc) write(l *layout) {
	l.align()
	l.word(uint32(72+2*l.face.pointer()), uint32(d.Flags))
	l.guid(d.Instance)
	l.guid(d.Application)
	l.word(d.MaxPlayers, d.CurrentPlayers)
	l.text(d.Name)
	l.text(d.Password)
	l.word(d.Reserved1, d.Reserved2)
	l.word(d.User[:]...)
}

// describe returns a session's description as the game sees it.
func describe(d *wire.SessionDesc, name string, password *string) SessionDesc {
	return SessionDesc{Flags: d.Flags, Instance: d.Instance, Application: d.Application, MaxPlayers: d.MaxPlayers,
		CurrentPlayers: d.CurrentPlayers, Name: textOrNull(name), Password: password, Reserved1: d.Reserved1, Reserved2: d.Reserved2,
		User: d.User}
}

// textOrNull is for what comes from others, where an empty text and none are the same.
func textOrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// deref returns what p points at, the zero value for NULL.
func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// Caps is DPCAPS.
type Caps struct {
	WrongSize                                                          bool // dwSize is not that of the structure
	Flags, MaxBuffer, MaxPlayers, Latency, MaxLocal, Header, TimeoutMS uint32
}

// Block returns the structure.
func (c *Caps) Block() Block {
	l := layout{}
	l.word(40, c.Flags, c.MaxBuffer, 0, c.MaxPlayers, 0, c.Latency, c.MaxLocal, c.Header, c.TimeoutMS)
	return l.block()
}
