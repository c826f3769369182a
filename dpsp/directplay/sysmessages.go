package directplay

import "dplay4/wire"

// A SystemMessage is one of the kinds that DirectPlay itself sends to players. DPSYS_SECUREMESSAGE, DPSYS_STARTSESSION and
// DPSYS_SETGROUPOWNER are missing, because there are no secure sessions and no lobby sessions.
type SystemMessage interface{ write(l *layout) }

// What a system message is about.
const (
	typeGroup  = 0
	typePlayer = 1
)

// A Subject is the player or group that a system message is about, as it was then.
type Subject struct {
	Group  bool
	ID     wire.PlayerID
	Parent wire.PlayerID
	Flags  uint32
	Name   Name
	Remote []byte // the data that all machines share
}

func (s *Subject) kind() uint32 {
	if s.Group {
		return typeGroup
	}
	return typePlayer
}

// Created is DPSYS_CREATEPLAYERORGROUP.
type Created struct {
	Subject
	Current uint32 // players, or groups, in the session; a new one of ours does not count
}

func (m *Created) write(l *layout) {
	l.word(SysCreatePlayerOrGroup, m.kind(), uint32(m.ID), m.Current)
	l.data(m.Remote)
	l.word(uint32(len(m.Remote)))
	m.Name.write(l)
	l.word(uint32(m.Parent), m.Flags)
}

// Destroyed is DPSYS_DESTROYPLAYERORGROUP.
type Destroyed struct {
	Subject
	Local []byte
}

func (m *Destroyed) write(l *layout) {
	l.word(SysDestroyPlayerOrGroup, m.kind(), uint32(m.ID))
	l.data(m.Local)
	l.word(uint32(len(m.Local)))
	l.data(m.Remote)
	l.word(uint32(len(m.Remote)))
	m.Name.write(l)
	l.word(uint32(m.Parent), m.Flags)
}

// Membership is DPSYS_ADDPLAYERTOGROUP, DPSYS_DELETEPLAYERFROMGROUP, DPSYS_ADDGROUPTOGROUP or DPSYS_DELETEGROUPFROMGROUP.
type Membership struct {
	Type          uint32
	Group, Member wire.PlayerID
}

func (m *Membership) write(l *layout) { l.word(m.Type, uint32(m.Group), uint32(m.Member)) }

// DataSet is DPSYS_SETPLAYERORGROUPDATA.
type DataSet struct{ Subject }

func (m *DataSet) write(l *layout) {
	l.word(SysSetPlayerOrGroupData, m.kind(), uint32(m.ID))
	l.data(m.Remote)
	l.word(uint32(len(m.Remote)))
}

// NameSet is DPSYS_SETPLAYERORGROUPNAME.
type NameSet struct{ Subject }

func (m *NameSet) write(l *layout) {
	l.word(SysSetPlayerOrGroupName, m.kind(), uint32(m.ID))
	m.Name.write(l)
}

// DescSet is DPSYS_SETSESSIONDESC.
type DescSet struct{ Desc SessionDesc }

func (m *DescSet) write(l *layout) {
	l.word(SysSetSessionDesc)
	m.Desc.write(l)
}

// Bare is DPSYS_HOST or DPSYS_SESSIONLOST, which have a type alone.
type Bare struct{ Type uint32 }

func (m *Bare) write(l *layout) { l.word(m.Type) }

// Chat is DPSYS_CHAT.
type Chat struct {
	Flags           uint32
	From, To, Group wire.PlayerID
	Text            string
}

func (m *Chat) write(l *layout) {
	l.word(SysChat, m.Flags, uint32(m.From), uint32(m.To), uint32(m.Group))
	words := layout{face: l.face}
	words.word(uint32(8+l.face.pointer()), 0)
	words.text(&m.Text)
	l.points(words.block())
}

// SendComplete is DPSYS_SENDCOMPLETE.
type SendComplete struct {
	From, To                           wire.PlayerID
	Flags, Priority, TimeoutMS, SentMS uint32 // SentMS is how long it took to send it
	Context                            uint64 // the game's own, a pointer
	ID                                 uint32
	Result                             wire.HResult
}

func (m *SendComplete) write(l *layout) {
	l.word(SysSendComplete, uint32(m.From), uint32(m.To), m.Flags, m.Priority, m.TimeoutMS)
	l.handle(m.Context)
	l.word(m.ID, uint32(m.Result), m.SentMS)
}
