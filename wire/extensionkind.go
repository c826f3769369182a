package wire

import "dplay4/wire/internal/field"

// ExtensionKind says what an [Extension] is about.
type ExtensionKind uint16

// The kinds of extensions. KindTable to KindFormers are of releases before views: they are decoded, and no engine handles them.
const (
	KindHello          ExtensionKind = 0x01
	KindTable          ExtensionKind = 0x02
	KindClaim          ExtensionKind = 0x03
	KindRejoinAt       ExtensionKind = 0x04
	KindRejoin         ExtensionKind = 0x05
	KindFormers        ExtensionKind = 0x06
	KindArrived        ExtensionKind = 0x07
	KindView           ExtensionKind = 0x08
	KindObjectCreate   ExtensionKind = 0x10
	KindObjectMigrate  ExtensionKind = 0x11
	KindObjectDestroy  ExtensionKind = 0x12
	KindObjectUpdate   ExtensionKind = 0x13
	KindObjectAck      ExtensionKind = 0x14
	KindObjectRequest  ExtensionKind = 0x15
	KindObjectInstruct ExtensionKind = 0x16
)

// String returns the kind's name, or "UNKNOWN(0x0009)".
func (k ExtensionKind) String() string {
	switch k {
	case KindHello:
		return "HELLO"
	case KindTable:
		return "TABLE"
	case KindClaim:
		return "CLAIM"
	case KindRejoinAt:
		return "REJOINAT"
	case KindRejoin:
		return "REJOIN"
	case KindFormers:
		return "FORMERS"
	case KindArrived:
		return "ARRIVED"
	case KindView:
		return "VIEW"
	case KindObjectCreate:
		return "OBJECTCREATE"
	case KindObjectMigrate:
		return "OBJECTMIGRATE"
	case KindObjectDestroy:
		return "OBJECTDESTROY"
	case KindObjectUpdate:
		return "OBJECTUPDATE"
	case KindObjectAck:
		return "OBJECTACK"
	case KindObjectRequest:
		return "OBJECTREQUEST"
	case KindObjectInstruct:
		return "OBJECTINSTRUCT"
	}
	return "UNKNOWN(" + field.HexWord(uint32(k), 4) + ")"
}

// newExtensionBody returns an empty body of a kind, nil if there is no such kind.
func newExtensionBody(k ExtensionKind) ExtensionBody {
	switch k {
	case KindHello:
		return &ExtensionHello{}
	case KindTable:
		return &ExtensionTable{}
	case KindClaim:
		return &ExtensionClaim{}
	case KindRejoinAt:
		return &ExtensionRejoinAt{}
	case KindRejoin:
		return &ExtensionRejoin{}
	case KindFormers:
		return &ExtensionFormers{}
	case KindArrived:
		return &ExtensionArrived{}
	case KindView:
		return &ExtensionView{}
	case KindObjectCreate, KindObjectMigrate, KindObjectDestroy, KindObjectUpdate, KindObjectAck, KindObjectRequest,
		KindObjectInstruct:
		return &ExtensionObject{Op: k}
	}
	return nil
}

// kind is the field that says what follows.
func (c *codec) kind(name string, p *ExtensionKind) {
	c.Half(name, (*uint16)(p), field.Named, func(v uint32) string { return ExtensionKind(v).String() })
}
