package captures

import (
	"encoding/binary"
	"fmt"

	"dplay4/hostmigrate"
	"dplay4/playerlist"
	"dplay4/wire"
	"dplay4/wire/dpl8"
)

// CommandName returns the name of a message's command. Of the extension it has the kind as well; of a name table message its type in
// [MC-DPL8CS], and of one about views its step: "EXTENSION HELLO", "EXTENSION TABLE ADD_PLAYER", "EXTENSION VIEW LOG". A kind that is not
// known is "EXTENSION UNKNOWN(0x0009)"; a message too short for a kind is "EXTENSION".
func CommandName(m wire.Message) string {
	x, ok := m.(*wire.Extension)
	if !ok {
		return m.Command().String()
	}
	outer, name := wire.CmdExtension.String(), wire.CmdExtension.String()+" "+x.Kind.String()
	switch b := x.Body.(type) {
	case nil:
		if x.Kind == 0 {
			return outer
		}
		return fmt.Sprintf("%s UNKNOWN(0x%04x)", outer, uint16(x.Kind)) // the same number may mean another kind in another release
	case *wire.ExtensionTable:
		if len(b.Message) >= 4 {
			name += " " + dpl8.Type(binary.LittleEndian.Uint32(b.Message)).String()
		}
	case *wire.ExtensionView:
		name += " " + b.Step.String()
	}
	return name
}

// extensionOddities notes what is odd inside a message of the extension. There, too, nothing is lost: what does not
// decode is shown as octets.
func (r *run) extensionOddities(rec *Record, x *wire.Extension) {
	const kindAt, bodyAt = 10, 16 // from the signature
	if x.Body == nil {
		r.note(rec, Finding{Code: UnknownCommand, Field: "Kind", Offset: int64(rec.Base + kindAt),
			Text: fmt.Sprintf("kind 0x%04x of release %d of the extension is not known", uint16(x.Kind), x.Release)})
		return
	}
	switch b := x.Body.(type) {
	case *wire.ExtensionTable:
		r.tableOddities(rec, b.Message, rec.Base+bodyAt)
	case *wire.ExtensionView:
		r.viewOddities(rec, b)
	}
}

// viewOddities notes operations that are none. They stand at the end of the message, each behind its size.
func (r *run) viewOddities(rec *Record, b *wire.ExtensionView) {
	at := len(rec.Raw)
	for _, o := range b.Ops {
		at -= 4 + len(o)
	}
	for i, o := range b.Ops {
		at += 4
		if _, err := ViewOperation(o); err != nil {
			r.note(rec, Finding{Code: MessageMalformed, Field: fmt.Sprintf("Operations[%d].Message", i), Offset: int64(at),
				Text: fmt.Sprintf("operation %d at octet %d is none of a list: %v", i, at, err)})
		}
		at += len(o)
	}
}

// ViewOperation returns the operation that a message about views carries.
func ViewOperation(octets []byte) (playerlist.Numbered, error) {
	m, err := dpl8.Decode(octets)
	if err != nil {
		return playerlist.Numbered{}, err
	}
	return hostmigrate.FromOperation(m)
}

// tableOddities looks into a message of [MC-DPL8CS] that begins at octet at of the record.
func (r *run) tableOddities(rec *Record, octets []byte, at int) {
	var stray []wire.Field
	m, err := dpl8.Visit(octets, func(f *wire.Field) {
		if f.Kind == wire.KindStray {
			stray = append(stray, *f)
		}
	})
	if len(stray) == 1 && RoundOctets(m, stray[0].Raw) {
		stray = nil
	}
	for _, f := range stray {
		r.note(rec, strayFinding(at+f.Offset, len(f.Raw)))
	}
	switch {
	case err != nil:
		r.note(rec, malformed(err, at))
		return
	case !m.Type().Known():
		r.note(rec, Finding{Code: UnknownCommand, Field: "dwPacketType", Offset: int64(at),
			Text: fmt.Sprintf("packet type 0x%08x is not assigned by [MC-DPL8CS]", uint32(m.Type()))})
		return
	}
	ack, ok := m.(*dpl8.AckNameTableOp)
	if !ok {
		return
	}
	for i := range ack.Operations {
		switch op := &ack.Operations[i]; {
		case op.Err != nil:
			r.note(rec, malformed(op.Err, at))
		case !op.ID.Operation():
			r.note(rec, Finding{Code: UnknownCommand, Field: fmt.Sprintf("Operations[%d].dwMsgId", i), Offset: -1,
				Text: fmt.Sprintf("0x%08x is no operation of the name table", uint32(op.ID))})
		}
	}
}

// RoundOctets reports whether octets that stand behind the fields of a [MC-DPL8CS] message are what releases before views
// added to DN_HOST_MIGRATE: the leader's round, and the ids of all hosts and candidates that went before it, four octets each.
func RoundOctets(m dpl8.Message, stray []byte) bool {
	_, ok := m.(*dpl8.HostMigrate)
	return ok && len(stray) >= 4 && len(stray)%4 == 0
}

func strayFinding(at, n int) Finding {
	return Finding{Code: StrayOctets, Offset: int64(at), Text: fmt.Sprintf("%d octets at octet %d belong to no field", n, at)}
}
