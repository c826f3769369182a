package wire

import "dplay4/wire/internal/field"

// HResult is a result code. Zero is success.
type HResult uint32

// The result codes that DirectPlay 4 puts on the wire or hands to a program ([MC-DPL4CS] 2.2.16, and the
// public API): a host passes on whatever its own calls gave it.
const (
	OK                           HResult = 0
	ErrUnsupported               HResult = 0x80004001
	ErrNoInterface               HResult = 0x80004002
	ErrGeneric                   HResult = 0x80004005
	ErrPending                   HResult = 0x8000000A
	ErrOutOfMemory               HResult = 0x8007000E
	ErrInvalidParams             HResult = 0x80070057
	ErrAlreadyInitialized        HResult = 0x88770005
	ErrAccessDenied              HResult = 0x8877000A
	ErrActivePlayers             HResult = 0x88770014
	ErrBufferTooSmall            HResult = 0x8877001E
	ErrCantAddPlayer             HResult = 0x88770028
	ErrCantCreateGroup           HResult = 0x88770032
	ErrCantCreatePlayer          HResult = 0x8877003C
	ErrCantCreateSession         HResult = 0x88770046
	ErrCapsNotAvailableYet       HResult = 0x88770050
	ErrException                 HResult = 0x8877005A
	ErrInvalidFlags              HResult = 0x88770078
	ErrInvalidObject             HResult = 0x88770082
	ErrInvalidPlayer             HResult = 0x88770096
	ErrInvalidGroup              HResult = 0x8877009B
	ErrNoCaps                    HResult = 0x887700A0
	ErrNoConnection              HResult = 0x887700AA
	ErrNoMessages                HResult = 0x887700BE
	ErrNoNameServerFound         HResult = 0x887700C8
	ErrNoPlayers                 HResult = 0x887700D2
	ErrNoSessions                HResult = 0x887700DC
	ErrSendTooBig                HResult = 0x887700E6
	ErrTimeout                   HResult = 0x887700F0
	ErrUnavailable               HResult = 0x887700FA
	ErrBusy                      HResult = 0x8877010E
	ErrUserCancel                HResult = 0x88770118
	ErrCannotCreateServer        HResult = 0x88770122
	ErrPlayerLost                HResult = 0x8877012C
	ErrSessionLost               HResult = 0x88770136
	ErrUninitialized             HResult = 0x88770140
	ErrNoNewPlayers              HResult = 0x8877014A
	ErrInvalidPassword           HResult = 0x88770154
	ErrConnecting                HResult = 0x8877015E
	ErrConnectionLost            HResult = 0x88770168
	ErrUnknownMessage            HResult = 0x88770172
	ErrCancelFailed              HResult = 0x8877017C
	ErrInvalidPriority           HResult = 0x88770186
	ErrNotHandled                HResult = 0x88770190
	ErrCancelled                 HResult = 0x8877019A
	ErrAborted                   HResult = 0x887701A4
	ErrBufferTooLarge            HResult = 0x887703E8
	ErrCantCreateProcess         HResult = 0x887703F2
	ErrAppNotStarted             HResult = 0x887703FC
	ErrInvalidInterface          HResult = 0x88770406
	ErrNoServiceProvider         HResult = 0x88770410
	ErrUnknownApplication        HResult = 0x8877041A
	ErrNotLobbied                HResult = 0x8877042E
	ErrServiceProviderLoaded     HResult = 0x88770438
	ErrAlreadyRegistered         HResult = 0x88770442
	ErrNotRegistered             HResult = 0x8877044C
	ErrAuthenticationFailed      HResult = 0x887707D0
	ErrCantLoadSSPI              HResult = 0x887707DA
	ErrEncryptionFailed          HResult = 0x887707E4
	ErrSignFailed                HResult = 0x887707EE
	ErrCantLoadSecurityPackage   HResult = 0x887707F8
	ErrEncryptionNotSupported    HResult = 0x88770802
	ErrCantLoadCAPI              HResult = 0x8877080C
	ErrNotLoggedIn               HResult = 0x88770816
	ErrLogonDenied               HResult = 0x88770820
	ErrSecInvalidHandle          HResult = 0x80090301
	ErrSecInternalError          HResult = 0x80090304
	ErrSecInvalidToken           HResult = 0x80090308
	ErrSecNoAuthenticatingAuthor HResult = 0x80090311
)

// hresultNames has the names of the codes.
var hresultNames = map[HResult]string{
	OK:                           "DP_OK",
	ErrUnsupported:               "DPERR_UNSUPPORTED",
	ErrNoInterface:               "DPERR_NOINTERFACE",
	ErrGeneric:                   "DPERR_GENERIC",
	ErrPending:                   "DPERR_PENDING",
	ErrOutOfMemory:               "DPERR_OUTOFMEMORY",
	ErrInvalidParams:             "DPERR_INVALIDPARAMS",
	ErrAlreadyInitialized:        "DPERR_ALREADYINITIALIZED",
	ErrAccessDenied:              "DPERR_ACCESSDENIED",
	ErrActivePlayers:             "DPERR_ACTIVEPLAYERS",
	ErrBufferTooSmall:            "DPERR_BUFFERTOOSMALL",
	ErrCantAddPlayer:             "DPERR_CANTADDPLAYER",
	ErrCantCreateGroup:           "DPERR_CANTCREATEGROUP",
	ErrCantCreatePlayer:          "DPERR_CANTCREATEPLAYER",
	ErrCantCreateSession:         "DPERR_CANTCREATESESSION",
	ErrCapsNotAvailableYet:       "DPERR_CAPSNOTAVAILABLEYET",
	ErrException:                 "DPERR_EXCEPTION",
	ErrInvalidFlags:              "DPERR_INVALIDFLAGS",
	ErrInvalidObject:             "DPERR_INVALIDOBJECT",
	ErrInvalidPlayer:             "DPERR_INVALIDPLAYER",
	ErrInvalidGroup:              "DPERR_INVALIDGROUP",
	ErrNoCaps:                    "DPERR_NOCAPS",
	ErrNoConnection:              "DPERR_NOCONNECTION",
	ErrNoMessages:                "DPERR_NOMESSAGES",
	ErrNoNameServerFound:         "DPERR_NONAMESERVERFOUND",
	ErrNoPlayers:                 "DPERR_NOPLAYERS",
	ErrNoSessions:                "DPERR_NOSESSIONS",
	ErrSendTooBig:                "DPERR_SENDTOOBIG",
	ErrTimeout:                   "DPERR_TIMEOUT",
	ErrUnavailable:               "DPERR_UNAVAILABLE",
	ErrBusy:                      "DPERR_BUSY",
	ErrUserCancel:                "DPERR_USERCANCEL",
	ErrCannotCreateServer:        "DPERR_CANNOTCREATESERVER",
	ErrPlayerLost:                "DPERR_PLAYERLOST",
	ErrSessionLost:               "DPERR_SESSIONLOST",
	ErrUninitialized:             "DPERR_UNINITIALIZED",
	ErrNoNewPlayers:              "DPERR_NONEWPLAYERS",
	ErrInvalidPassword:           "DPERR_INVALIDPASSWORD",
	ErrConnecting:                "DPERR_CONNECTING",
	ErrConnectionLost:            "DPERR_CONNECTIONLOST",
	ErrUnknownMessage:            "DPERR_UNKNOWNMESSAGE",
	ErrCancelFailed:              "DPERR_CANCELFAILED",
	ErrInvalidPriority:           "DPERR_INVALIDPRIORITY",
	ErrNotHandled:                "DPERR_NOTHANDLED",
	ErrCancelled:                 "DPERR_CANCELLED",
	ErrAborted:                   "DPERR_ABORTED",
	ErrBufferTooLarge:            "DPERR_BUFFERTOOLARGE",
	ErrCantCreateProcess:         "DPERR_CANTCREATEPROCESS",
	ErrAppNotStarted:             "DPERR_APPNOTSTARTED",
	ErrInvalidInterface:          "DPERR_INVALIDINTERFACE",
	ErrNoServiceProvider:         "DPERR_NOSERVICEPROVIDER",
	ErrUnknownApplication:        "DPERR_UNKNOWNAPPLICATION",
	ErrNotLobbied:                "DPERR_NOTLOBBIED",
	ErrServiceProviderLoaded:     "DPERR_SERVICEPROVIDERLOADED",
	ErrAlreadyRegistered:         "DPERR_ALREADYREGISTERED",
	ErrNotRegistered:             "DPERR_NOTREGISTERED",
	ErrAuthenticationFailed:      "DPERR_AUTHENTICATIONFAILED",
	ErrCantLoadSSPI:              "DPERR_CANTLOADSSPI",
	ErrEncryptionFailed:          "DPERR_ENCRYPTIONFAILED",
	ErrSignFailed:                "DPERR_SIGNFAILED",
	ErrCantLoadSecurityPackage:   "DPERR_CANTLOADSECURITYPACKAGE",
	ErrEncryptionNotSupported:    "DPERR_ENCRYPTIONNOTSUPPORTED",
	ErrCantLoadCAPI:              "DPERR_CANTLOADCAPI",
	ErrNotLoggedIn:               "DPERR_NOTLOGGEDIN",
	ErrLogonDenied:               "DPERR_LOGONDENIED",
	ErrSecInvalidHandle:          "SEC_E_INVALID_HANDLE",
	ErrSecInternalError:          "SEC_E_INTERNAL_ERROR",
	ErrSecInvalidToken:           "SEC_E_INVALID_TOKEN",
	ErrSecNoAuthenticatingAuthor: "SEC_E_NO_AUTHENTICATING_AUTHORITY",
}

func hresultName(v uint32) string { return hresultNames[HResult(v)] }

// Name returns the code's name, such as "DPERR_INVALIDPASSWORD", or "" for a code that is not known here.
func (h HResult) Name() string { return hresultName(uint32(h)) }

// String returns name and number, "DPERR_INVALIDPASSWORD (0x88770154)", or the number alone.
func (h HResult) String() string {
	if n := h.Name(); n != "" {
		return n + " (" + field.HexWord(uint32(h), 8) + ")"
	}
	return field.HexWord(uint32(h), 8)
}

// Error makes a result usable as an error.
func (h HResult) Error() string { return h.String() }
