package hostmigrate

import (
	"dplay4/playerlist"
	"dplay4/wire"
	"dplay4/wire/dpl8"
)

// infoForm is a bit of dwInfoFlags of DN_UPDATE_INFO that the specification leaves free: the data begins with a form,
// and the game's own stands behind its terminating zero.
const infoForm dpl8.InfoFlags = 1 << 31

// The values of "op" in a form: operations that DirectPlay 8 has no message for.
const (
	opSPData         = "spdata"
	opHost           = "host"
	opDesc           = "desc"
	opAddShortcut    = "addshortcut"
	opRemoveShortcut = "removeshortcut"
)

// AppendOperation appends an operation as a message of [MC-DPL8CS]; the package documentation says which. On an error,
// ErrNoOperation, ErrTooLarge or a *wire.EncodeError, dst comes back as it was.
func AppendOperation(dst []byte, n playerlist.Numbered) ([]byte, error) {
	m, err := message(n)
	if err != nil {
		return dst, err
	}
	out, err := dpl8.Append(dst, m)
	switch {
	case err != nil:
		return dst, err
	case len(out)-len(dst) > MaxMessage:
		return dst, ErrTooLarge
	}
	return out, nil
}

// message returns an operation as a message, which shares names and data with it.
func message(n playerlist.Numbered) (dpl8.Message, error) {
	v := n.Version
	switch o := n.Op.(type) {
	case playerlist.AddPlayer:
		return &dpl8.AddPlayer{Entry: toEntry(&o.Entry, v)}, nil
	case playerlist.DeletePlayer:
		return &dpl8.DestroyPlayer{Leaving: dpl8.DPNID(o.ID), Version: v, Reason: dpl8.DestroyNormal}, nil
	case playerlist.AddGroup:
		e := o.Entry
		e.Group = true
		rest, err := dpl8.Append(nil, &dpl8.AddPlayer{Entry: toEntry(&e, v)})
		return &dpl8.CreateGroup{Requesting: dpl8.DPNID(e.System), Rest: rest}, err
	case playerlist.DeleteGroup:
		return &dpl8.DestroyGroup{Group: dpl8.DPNID(o.ID), Version: v}, nil
	case playerlist.AddMember:
		return &dpl8.AddPlayerToGroup{Group: dpl8.DPNID(o.Group), Player: dpl8.DPNID(o.Player), Version: v}, nil
	case playerlist.RemoveMember:
		return &dpl8.DeletePlayerFromGroup{Group: dpl8.DPNID(o.Group), Player: dpl8.DPNID(o.Player), Version: v}, nil
	case playerlist.InstructConnect:
		return &dpl8.InstructConnect{ID: dpl8.DPNID(o.ID), Version: v}, nil
	}
	if u := update(n.Op); u != nil {
		u.Version = v
		return u, nil
	}
	return nil, ErrNoOperation
}

// update returns the operations that are DN_UPDATE_INFO; nil for others.
func update(op playerlist.Op) *dpl8.UpdateInfo {
	f := newForm()
	switch o := op.(type) {
	case playerlist.SetName:
		return named(o.ID, dpl8.InfoName, o.ShortName, o.LongName, nil)
	case playerlist.SetInfo:
		return named(o.ID, dpl8.InfoName|dpl8.InfoData, o.ShortName, o.LongName, o.Data)
	case playerlist.SetData:
		return named(o.ID, dpl8.InfoData, nil, nil, o.Data)
	case playerlist.SetSPData:
		f.word("op", opSPData)
		f.octets("sp", o.SPData)
		return &dpl8.UpdateInfo{ID: dpl8.DPNID(o.ID), InfoFlags: infoForm, Data: f.end()}
	case playerlist.SetHost:
		f.word("op", opHost)
		return &dpl8.UpdateInfo{ID: dpl8.DPNID(o.ID), InfoFlags: infoForm, Data: f.end()}
	case playerlist.AddShortcut:
		f.word("op", opAddShortcut)
		f.number("child", uint32(o.Child))
		return &dpl8.UpdateInfo{ID: dpl8.DPNID(o.Parent), InfoFlags: infoForm, Data: f.end()}
	case playerlist.RemoveShortcut:
		f.word("op", opRemoveShortcut)
		f.number("child", uint32(o.Child))
		return &dpl8.UpdateInfo{ID: dpl8.DPNID(o.Parent), InfoFlags: infoForm, Data: f.end()}
	case playerlist.SetDesc:
		d := &o.Session.Desc
		f.word("op", opDesc)
		sessionForm(&f, d)
		f.number("max", d.MaxPlayers)
		f.guid("instance", d.Instance)
		f.guid("application", d.Application)
		f.octets("password", o.Session.Password)
		return &dpl8.UpdateInfo{InfoFlags: dpl8.InfoName | infoForm, Name: o.Session.Name, Data: f.end()}
	}
	return nil
}

// named returns new names and data. The form is there only for a long name.
func named(id wire.PlayerID, flags dpl8.InfoFlags, short, long wire.Text, data []byte) *dpl8.UpdateInfo {
	u := &dpl8.UpdateInfo{ID: dpl8.DPNID(id), InfoFlags: flags, Name: short, Data: data}
	if len(long) > 0 {
		f := newForm()
		f.octets("long", long)
		u.InfoFlags |= infoForm
		u.Data = append(f.end(), data...)
	}
	return u
}
