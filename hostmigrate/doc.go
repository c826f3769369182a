// Package hostmigrate writes operations on the list of players and groups as messages of [MC-DPL8CS], and reads them again. Package view
// decides which member numbers operations and which members get them, and package model checks that protocol. Package object decides who
// owns the objects of a game.
//
// The number of an operation is the version in the message. Fields that DirectPlay 8 lacks are in URLs of the form of this package (see
// [AppendOperation]):
//
//	AddPlayer, AddGroup   x-directplay4:/flags=0x00000001;dialect=0x0000000e;parent=...;long=hex;sp=hex in the
//	                      entry's URL; dpnidOwner is the system player
//	AddGroup              CREATE_GROUP, whose figure names no group (2.2.4.2): a whole ADD_PLAYER message with GROUP
//	                      set in its flags stands behind its two fields
//	SetName, SetInfo      UPDATE_INFO; with a long name, bit 31 of dwInfoFlags says that the data begins with
//	                      x-directplay4:/long=hex, zero-terminated, and the game's own follows
//	SetData               UPDATE_INFO
//	SetSPData             UPDATE_INFO with bit 31: op=spdata;sp=hex
//	SetHost               UPDATE_INFO with bit 31: op=host
//	SetDesc               UPDATE_INFO with bit 31, of id 0: the session's name, and op=desc with its other fields
//	AddShortcut           UPDATE_INFO with bit 31, of the parent: op=addshortcut;child=id
//	RemoveShortcut        likewise: op=removeshortcut
package hostmigrate
