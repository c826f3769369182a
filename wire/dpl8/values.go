package dpl8

import (
	"dplay4/wire/internal/field"
	"strconv"
)

// DestroyReason says why a peer is removed (2.2.2.2).
type DestroyReason uint32

// The reasons, by their names in 2.2.2.2 without DPNDESTROYPLAYERREASON_.
const (
	DestroyNormal              DestroyReason = 1 // it leaves
	DestroyConnectionLost      DestroyReason = 2
	DestroySessionTerminated   DestroyReason = 3
	DestroyHostDestroyedPlayer DestroyReason = 4 // the host removed it
)

func destroyReasonName(v uint32) string {
	switch DestroyReason(v) {
	case DestroyNormal:
		return "NORMAL"
	case DestroyConnectionLost:
		return "CONNECTIONLOST"
	case DestroySessionTerminated:
		return "SESSIONTERMINATED"
	case DestroyHostDestroyedPlayer:
		return "HOSTDESTROYEDPLAYER"
	}
	return ""
}

// String returns the reason's name, or the number of one that the specification does not list.
func (r DestroyReason) String() string {
	if n := destroyReasonName(uint32(r)); n != "" {
		return n
	}
	return strconv.FormatUint(uint64(r), 10)
}

// DNETVersion is the version of DirectPlay that a participant runs (2.2.1.1, 2.2.1.2).
type DNETVersion uint32

// The versions, by the DirectX that they came with. 4 is not used.
const (
	DirectX80  DNETVersion = 1
	DirectX81  DNETVersion = 2
	PocketPC   DNETVersion = 3
	Server2003 DNETVersion = 5
	DirectX82  DNETVersion = 6
	DirectX90  DNETVersion = 7 // the first one with alternate addresses
	DirectX90b DNETVersion = 8 // 2.2.1.2 calls this one DirectX 9.0, too
)

func dnetVersionName(v uint32) string {
	switch DNETVersion(v) {
	case DirectX80:
		return "DirectX 8.0"
	case DirectX81:
		return "DirectX 8.1"
	case PocketPC:
		return "PocketPC"
	case Server2003:
		return "Windows Server 2003"
	case DirectX82:
		return "DirectX 8.2"
	case DirectX90, DirectX90b:
		return "DirectX 9.0"
	}
	return ""
}

// String returns version and name, "8 (DirectX 9.0)", or the number alone.
func (v DNETVersion) String() string {
	s := strconv.FormatUint(uint64(v), 10)
	if n := dnetVersionName(uint32(v)); n != "" {
		s += " (" + n + ")"
	}
	return s
}

// Result is the result code of a failed connection attempt (2.2.1.3).
type Result uint32

// The result codes, by their names in 2.2.1.3 without DPNERR_.
const (
	ResultAlreadyClosing         Result = 0x80158050
	ResultNotHost                Result = 0x80158530
	ResultInvalidInterface       Result = 0x80158390
	ResultInvalidVersion         Result = 0x80158460
	ResultInvalidInstance        Result = 0x80158380
	ResultInvalidApplication     Result = 0x80158300
	ResultInvalidPassword        Result = 0x80158410
	ResultHostRejectedConnection Result = 0x80158260 // the only one that a reply is expected with
	ResultGeneric                Result = 0x80004005
)

func resultName(v uint32) string {
	switch Result(v) {
	case ResultAlreadyClosing:
		return "DPNERR_ALREADYCLOSING"
	case ResultNotHost:
		return "DPNERR_NOTHOST"
	case ResultInvalidInterface:
		return "DPNERR_INVALIDINTERFACE"
	case ResultInvalidVersion:
		return "DPNERR_INVALIDVERSION"
	case ResultInvalidInstance:
		return "DPNERR_INVALIDINSTANCE"
	case ResultInvalidApplication:
		return "DPNERR_INVALIDAPPLICATION"
	case ResultInvalidPassword:
		return "DPNERR_INVALIDPASSWORD"
	case ResultHostRejectedConnection:
		return "DPNERR_HOSTREJECTEDCONNECTION"
	case ResultGeneric:
		return "DPNERR_GENERIC"
	}
	return ""
}

// String returns name and number, "DPNERR_NOTHOST (0x80158530)", or the number alone.
func (r Result) String() string {
	if n := resultName(uint32(r)); n != "" {
		return n + " (" + field.HexWord(uint32(r), 8) + ")"
	}
	return field.HexWord(uint32(r), 8)
}
