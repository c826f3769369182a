//go:build windows && cgo

package main

// #include "lobby.h"
import "C"

import (
	"dplay4/dpsp/directplay"
	"dplay4/wire"
)

// A method answers a request. One that is quick waits for nobody.
type method struct {
	run   func(*call) wire.HResult
	quick bool
}

// methods are all that can be asked for, by their numbers.
var methods = map[uint32]method{
	C.METHOD_NEW:                   {newObject, true},
	C.METHOD_RELEASE:               {releaseObject, false},
	C.METHOD_ENUM_PROVIDERS:        {enumProviders, true},
	C.METHOD_INITIALIZE:            {on(initialize), true},
	C.METHOD_INITIALIZE_CONNECTION: {on(initializeConnection), true},
	C.METHOD_ENUM_CONNECTIONS:      {enumConnections, true},
	C.METHOD_ENUM_SESSIONS:         {on(enumSessions), false},
	C.METHOD_OPEN:                  {on(open), false},
	C.METHOD_SECURE_OPEN:           {on(secureOpen), false},
	C.METHOD_CLOSE:                 {on(closeSession), false},
	C.METHOD_GET_SESSION_DESC:      {on(getSessionDesc), true},
	C.METHOD_SET_SESSION_DESC:      {on(setSessionDesc), false},
	C.METHOD_GET_CAPS:              {on(getCaps), true},
	C.METHOD_GET_PLAYER_CAPS:       {on(getPlayerCaps), true},

	C.METHOD_CREATE_PLAYER:      {creates((*directplay.Object).CreatePlayer), false},
	C.METHOD_DESTROY_PLAYER:     {by((*directplay.Object).DestroyPlayer), false},
	C.METHOD_ENUM_PLAYERS:       {enumerates((*directplay.Object).EnumPlayers), false},
	C.METHOD_GET_PLAYER_ACCOUNT: {on(getPlayerAccount), true},
	C.METHOD_GET_PLAYER_ADDRESS: {on(getPlayerAddress), true},
	C.METHOD_GET_PLAYER_DATA:    {givesData((*directplay.Object).GetPlayerData), true},
	C.METHOD_GET_PLAYER_FLAGS:   {tells((*directplay.Object).GetPlayerFlags), true},
	C.METHOD_GET_PLAYER_NAME:    {givesName((*directplay.Object).GetPlayerName), true},
	C.METHOD_SET_PLAYER_DATA:    {takesData((*directplay.Object).SetPlayerData), false},
	C.METHOD_SET_PLAYER_NAME:    {takesName((*directplay.Object).SetPlayerName), false},

	C.METHOD_ADD_GROUP_TO_GROUP:            {byTwo((*directplay.Object).AddGroupToGroup), false},
	C.METHOD_ADD_PLAYER_TO_GROUP:           {byTwo((*directplay.Object).AddPlayerToGroup), false},
	C.METHOD_CREATE_GROUP:                  {creates((*directplay.Object).CreateGroup), false},
	C.METHOD_CREATE_GROUP_IN_GROUP:         {on(createGroupInGroup), false},
	C.METHOD_DELETE_GROUP_FROM_GROUP:       {byTwo((*directplay.Object).DeleteGroupFromGroup), false},
	C.METHOD_DELETE_PLAYER_FROM_GROUP:      {byTwo((*directplay.Object).DeletePlayerFromGroup), false},
	C.METHOD_DESTROY_GROUP:                 {by((*directplay.Object).DestroyGroup), false},
	C.METHOD_ENUM_GROUP_PLAYERS:            {enumeratesIn((*directplay.Object).EnumGroupPlayers), false},
	C.METHOD_ENUM_GROUPS:                   {enumerates((*directplay.Object).EnumGroups), false},
	C.METHOD_ENUM_GROUPS_IN_GROUP:          {enumeratesIn((*directplay.Object).EnumGroupsInGroup), false},
	C.METHOD_GET_GROUP_CONNECTION_SETTINGS: {by((*directplay.Object).OfLobby), true},
	C.METHOD_GET_GROUP_DATA:                {givesData((*directplay.Object).GetGroupData), true},
	C.METHOD_GET_GROUP_FLAGS:               {tells((*directplay.Object).GetGroupFlags), true},
	C.METHOD_GET_GROUP_NAME:                {givesName((*directplay.Object).GetGroupName), true},
	C.METHOD_GET_GROUP_OWNER:               {by((*directplay.Object).OfLobby), true},
	C.METHOD_GET_GROUP_PARENT:              {tells((*directplay.Object).GetGroupParent), true},
	C.METHOD_SET_GROUP_CONNECTION_SETTINGS: {by((*directplay.Object).OfLobby), true},
	C.METHOD_SET_GROUP_DATA:                {takesData((*directplay.Object).SetGroupData), false},
	C.METHOD_SET_GROUP_NAME:                {takesName((*directplay.Object).SetGroupName), false},
	C.METHOD_SET_GROUP_OWNER:               {by((*directplay.Object).OfLobby), true},
	C.METHOD_START_SESSION:                 {by((*directplay.Object).OfLobby), true},

	C.METHOD_SEND:              {on(send), false},
	C.METHOD_SEND_CHAT_MESSAGE: {on(sendChatMessage), false},
	C.METHOD_GET_MESSAGE_COUNT: {tells((*directplay.Object).GetMessageCount), true},
	C.METHOD_GET_MESSAGE_QUEUE: {on(getMessageQueue), true},
	C.METHOD_CANCEL_MESSAGE:    {on(cancelMessage), false},
	C.METHOD_CANCEL_PRIORITY:   {on(cancelPriority), false},

	C.METHOD_DIRECTPLAY1_CREATE_GROUP:       {first(firstCreateGroup), false},
	C.METHOD_DIRECTPLAY1_CREATE_PLAYER:      {first(firstCreatePlayer), false},
	C.METHOD_DIRECTPLAY1_ENABLE_NEW_PLAYERS: {first(firstEnableNewPlayers), false},
	C.METHOD_DIRECTPLAY1_ENUM_GROUP_PLAYERS: {first(firstEnumGroupPlayers), false},
	C.METHOD_DIRECTPLAY1_ENUM_GROUPS:        {first(firstEnumGroups), false},
	C.METHOD_DIRECTPLAY1_ENUM_PLAYERS:       {first(firstEnumPlayers), false},
	C.METHOD_DIRECTPLAY1_ENUM_SESSIONS:      {first(firstEnumSessions), false},
	C.METHOD_DIRECTPLAY1_GET_CAPS:           {first(firstGetCaps), true},
	C.METHOD_DIRECTPLAY1_GET_PLAYER_CAPS:    {first(firstGetPlayerCaps), true},
	C.METHOD_DIRECTPLAY1_GET_PLAYER_NAME:    {first(firstGetPlayerName), true},
	C.METHOD_DIRECTPLAY1_OPEN:               {first(firstOpen), false},
	C.METHOD_DIRECTPLAY1_SAVE_SESSION:       {first(firstSaveSession), true},
	C.METHOD_DIRECTPLAY1_SET_PLAYER_NAME:    {first(firstSetPlayerName), false},

	C.METHOD_LOBBY_CONNECT:                      {inLobby(lobbyConnect), false},
	C.METHOD_LOBBY_CREATE_ADDRESS:               {createAddress, true},
	C.METHOD_LOBBY_CREATE_COMPOUND_ADDRESS:      {createCompoundAddress, true},
	C.METHOD_LOBBY_ENUM_ADDRESS:                 {enumAddress, true},
	C.METHOD_LOBBY_ENUM_ADDRESS_TYPES:           {enumAddressTypes, true},
	C.METHOD_LOBBY_ENUM_LOCAL_APPLICATIONS:      {inLobby(enumLocalApplications), false},
	C.METHOD_LOBBY_GET_CONNECTION_SETTINGS:      {inLobby(getConnectionSettings), false},
	C.METHOD_LOBBY_RECEIVE_LOBBY_MESSAGE:        {inLobby(receiveLobbyMessage), false},
	C.METHOD_LOBBY_REGISTER_APPLICATION:         {inLobby(registerApplication), false},
	C.METHOD_LOBBY_RUN_APPLICATION:              {inLobby(runApplication), false},
	C.METHOD_LOBBY_SEND_LOBBY_MESSAGE:           {inLobby(sendLobbyMessage), false},
	C.METHOD_LOBBY_SET_CONNECTION_SETTINGS:      {inLobby(setConnectionSettings), false},
	C.METHOD_LOBBY_SET_LOBBY_MESSAGE_EVENT:      {inLobby(setLobbyMessageEvent), false},
	C.METHOD_LOBBY_UNREGISTER_APPLICATION:       {inLobby(unregisterApplication), false},
	C.METHOD_LOBBY_WAIT_FOR_CONNECTION_SETTINGS: {inLobby(waitForConnectionSettings), false},
}

// on makes a method of one of an object.
func on(f func(*directplay.Object, *call) wire.HResult) func(*call) wire.HResult {
	return func(c *call) wire.HResult {
		o := object(uint32(c.r.object))
		if o == nil {
			return wire.ErrInvalidObject
		}
		return f(o, c)
	}
}

// by makes a method of one about a player or group.
func by(f func(*directplay.Object, wire.PlayerID) wire.HResult) func(*call) wire.HResult {
	return on(func(o *directplay.Object, c *call) wire.HResult { return f(o, c.id(0)) })
}

// byTwo makes a method of one about a group and what is in it.
func byTwo(f func(o *directplay.Object, group, member wire.PlayerID) wire.HResult) func(*call) wire.HResult {
	return on(func(o *directplay.Object, c *call) wire.HResult { return f(o, c.id(0), c.id(1)) })
}

// givesData makes a method of one that fills a buffer with data of a player or group.
func givesData(f func(*directplay.Object, wire.PlayerID, *directplay.Buffer, uint32) wire.HResult) func(*call) wire.HResult {
	return on(func(o *directplay.Object, c *call) wire.HResult {
		return c.fill(2, func(b *directplay.Buffer) wire.HResult { return f(o, c.id(0), b, c.number(1)) })
	})
}

// givesName makes a method of one that fills a buffer with the name of a player or group.
func givesName(f func(*directplay.Object, wire.PlayerID, *directplay.Buffer, directplay.Face) wire.HResult) func(*call) wire.HResult {
	return on(func(o *directplay.Object, c *call) wire.HResult {
		return c.fill(2, func(b *directplay.Buffer) wire.HResult { return f(o, c.id(0), b, c.face()) })
	})
}

// takesData makes a method of one that sets data of a player or group.
func takesData(f func(o *directplay.Object, id wire.PlayerID, data []byte, size, flags uint32) wire.HResult) func(*call) wire.HResult {
	return on(func(o *directplay.Object, c *call) wire.HResult {
		return f(o, c.id(0), c.block(0), c.number(1), c.number(2))
	})
}

// takesName makes a method of one that sets the name of a player or group. Flags that there are not are as bad as a name that cannot be
// read.
func takesName(f func(*directplay.Object, wire.PlayerID, *directplay.Name, uint32) wire.HResult) func(*call) wire.HResult {
	return on(func(o *directplay.Object, c *call) wire.HResult {
		flags := c.number(1)
		if c.unreadable() {
			flags = ^uint32(0)
		}
		return f(o, c.id(0), c.name(), flags)
	})
}

// tells makes a method of one that finds a number, and gets nil if the game has no place for it.
func tells[N ~uint32](f func(*directplay.Object, wire.PlayerID, *N) wire.HResult) func(*call) wire.HResult {
	return on(func(o *directplay.Object, c *call) wire.HResult {
		if !c.is(1) {
			return f(o, c.id(0), nil)
		}
		var v N
		r := f(o, c.id(0), &v)
		c.answer(0, uint32(v))
		return r
	})
}

// creates makes a method of one that creates a player or group.
func creates(f func(*directplay.Object, *wire.PlayerID, directplay.Making) wire.HResult) func(*call) wire.HResult {
	return on(func(o *directplay.Object, c *call) wire.HResult {
		m, id := c.making()
		return c.made(id, f(o, id, m))
	})
}

// enumerates makes a method of one that calls back with players or groups of a session.
func enumerates(f func(*directplay.Object, *wire.GUID, func(directplay.Listed) bool, uint32) wire.HResult) func(*call) wire.HResult {
	return on(func(o *directplay.Object, c *call) wire.HResult { return f(o, c.guid(0), c.each(), c.number(1)) })
}

// enumeratesIn makes a method of one that calls back with what is in a group.
func enumeratesIn(f func(*directplay.Object, wire.PlayerID, *wire.GUID, func(directplay.Listed) bool, uint32) wire.HResult) func(*call) wire.HResult {
	return on(func(o *directplay.Object, c *call) wire.HResult {
		return f(o, c.id(0), c.guid(0), c.each(), c.number(1))
	})
}
