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

	C.METHOD_CREATE_PLAYER:      {on(createPlayer), false},
	C.METHOD_DESTROY_PLAYER:     {on(destroyPlayer), false},
	C.METHOD_ENUM_PLAYERS:       {on(enumPlayers), false},
	C.METHOD_GET_PLAYER_ACCOUNT: {on(getPlayerAccount), true},
	C.METHOD_GET_PLAYER_ADDRESS: {on(getPlayerAddress), true},
	C.METHOD_GET_PLAYER_DATA:    {on(getPlayerData), true},
	C.METHOD_GET_PLAYER_FLAGS:   {on(getPlayerFlags), true},
	C.METHOD_GET_PLAYER_NAME:    {on(getPlayerName), true},
	C.METHOD_SET_PLAYER_DATA:    {on(setPlayerData), false},
	C.METHOD_SET_PLAYER_NAME:    {on(setPlayerName), false},

	C.METHOD_ADD_GROUP_TO_GROUP:            {on(addGroupToGroup), false},
	C.METHOD_ADD_PLAYER_TO_GROUP:           {on(addPlayerToGroup), false},
	C.METHOD_CREATE_GROUP:                  {on(createGroup), false},
	C.METHOD_CREATE_GROUP_IN_GROUP:         {on(createGroupInGroup), false},
	C.METHOD_DELETE_GROUP_FROM_GROUP:       {on(deleteGroupFromGroup), false},
	C.METHOD_DELETE_PLAYER_FROM_GROUP:      {on(deletePlayerFromGroup), false},
	C.METHOD_DESTROY_GROUP:                 {on(destroyGroup), false},
	C.METHOD_ENUM_GROUP_PLAYERS:            {on(enumGroupPlayers), false},
	C.METHOD_ENUM_GROUPS:                   {on(enumGroups), false},
	C.METHOD_ENUM_GROUPS_IN_GROUP:          {on(enumGroupsInGroup), false},
	C.METHOD_GET_GROUP_CONNECTION_SETTINGS: {on(getGroupConnectionSettings), true},
	C.METHOD_GET_GROUP_DATA:                {on(getGroupData), true},
	C.METHOD_GET_GROUP_FLAGS:               {on(getGroupFlags), true},
	C.METHOD_GET_GROUP_NAME:                {on(getGroupName), true},
	C.METHOD_GET_GROUP_OWNER:               {on(getGroupOwner), true},
	C.METHOD_GET_GROUP_PARENT:              {on(getGroupParent), true},
	C.METHOD_SET_GROUP_CONNECTION_SETTINGS: {on(setGroupConnectionSettings), true},
	C.METHOD_SET_GROUP_DATA:                {on(setGroupData), false},
	C.METHOD_SET_GROUP_NAME:                {on(setGroupName), false},
	C.METHOD_SET_GROUP_OWNER:               {on(setGroupOwner), true},
	C.METHOD_START_SESSION:                 {on(startSession), true},

	C.METHOD_SEND:              {on(send), false},
	C.METHOD_SEND_CHAT_MESSAGE: {on(sendChatMessage), false},
	C.METHOD_GET_MESSAGE_COUNT: {on(getMessageCount), true},
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
