package wire

// HResult is a result code. Zero is success.
type HResult uint32

// The result codes that DirectPlay 4 puts on the wire or hands to a program ([MC-DPL4CS] 2.2.16, and the
// public API).
const (
	OK                           HResult = 0
	ErrUnsupported               HResult = 0x80004001
	ErrGeneric                   HResult = 0x80004005
	ErrInvalidParams             HResult = 0x80070057
	ErrAlreadyInitialized        HResult = 0x88770005
	ErrAccessDenied              HResult = 0x8877000A
	ErrBufferTooSmall            HResult = 0x8877001E
	ErrCantCreatePlayer          HResult = 0x8877003C
	ErrInvalidFlags              HResult = 0x88770078
	ErrInvalidPlayer             HResult = 0x88770096
	ErrInvalidGroup              HResult = 0x8877009B
	ErrNoConnection              HResult = 0x887700AA
	ErrNoMessages                HResult = 0x887700BE
	ErrNoSessions                HResult = 0x887700DC
	ErrSendTooBig                HResult = 0x887700E6
	ErrTimeout                   HResult = 0x887700F0
	ErrUninitialized             HResult = 0x88770140
	ErrNoNewPlayers              HResult = 0x8877014A
	ErrInvalidPassword           HResult = 0x88770154
	ErrConnectionLost            HResult = 0x88770168
	ErrLogonDenied               HResult = 0x88770820
	ErrSecInvalidHandle          HResult = 0x80090301
	ErrSecInternalError          HResult = 0x80090304
	ErrSecInvalidToken           HResult = 0x80090308
	ErrSecNoAuthenticatingAuthor HResult = 0x80090311
)

func hresultName(v uint32) string {
	switch HResult(v) {
	case OK:
		return "DP_OK"
	case ErrUnsupported:
		return "DPERR_UNSUPPORTED"
	case ErrGeneric:
		return "DPERR_GENERIC"
	case ErrInvalidParams:
		return "DPERR_INVALIDPARAMS"
	case ErrAlreadyInitialized:
		return "DPERR_ALREADYINITIALIZED"
	case ErrAccessDenied:
		return "DPERR_ACCESSDENIED"
	case ErrBufferTooSmall:
		return "DPERR_BUFFERTOOSMALL"
	case ErrCantCreatePlayer:
		return "DPERR_CANTCREATEPLAYER"
	case ErrInvalidFlags:
		return "DPERR_INVALIDFLAGS"
	case ErrInvalidPlayer:
		return "DPERR_INVALIDPLAYER"
	case ErrInvalidGroup:
		return "DPERR_INVALIDGROUP"
	case ErrNoConnection:
		return "DPERR_NOCONNECTION"
	case ErrNoMessages:
		return "DPERR_NOMESSAGES"
	case ErrNoSessions:
		return "DPERR_NOSESSIONS"
	case ErrSendTooBig:
		return "DPERR_SENDTOOBIG"
	case ErrTimeout:
		return "DPERR_TIMEOUT"
	case ErrUninitialized:
		return "DPERR_UNINITIALIZED"
	case ErrNoNewPlayers:
		return "DPERR_NONEWPLAYERS"
	case ErrInvalidPassword:
		return "DPERR_INVALIDPASSWORD"
	case ErrConnectionLost:
		return "DPERR_CONNECTIONLOST"
	case ErrLogonDenied:
		return "DPERR_LOGONDENIED"
	case ErrSecInvalidHandle:
		return "SEC_E_INVALID_HANDLE"
	case ErrSecInternalError:
		return "SEC_E_INTERNAL_ERROR"
	case ErrSecInvalidToken:
		return "SEC_E_INVALID_TOKEN"
	case ErrSecNoAuthenticatingAuthor:
		return "SEC_E_NO_AUTHENTICATING_AUTHORITY"
	}
	return ""
}

// Name gives the code's name, such as "DPERR_INVALIDPASSWORD", or "" for a code that is not known here.
func (h HResult) Name() string { return hresultName(uint32(h)) }

// String gives name and number, "DPERR_INVALIDPASSWORD (0x88770154)", or the number alone.
func (h HResult) String() string {
	if n := h.Name(); n != "" {
		return n + " (" + hexWord(uint32(h), 8) + ")"
	}
	return hexWord(uint32(h), 8)
}

// Error makes a result usable as an error.
func (h HResult) Error() string { return h.String() }
