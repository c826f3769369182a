// A launcher: it registers a game, starts it into a session and tells what it hears of it, as programs do in which players
// meet. A line of text for each thing that happened.
//
//     launcher host FOLDER [agreed]
//     launcher join FOLDER ADDRESS [agreed]
//
// FOLDER has lobbied.exe, and ADDRESS is where the session's host is. With "agreed" the session has the instance GUID that launchers
// agreed on.
#include "lobby.h"

static const char me[] = "launcher";
static IDirectPlayLobby3 *lobby;
static const GUID agreed = {0x4d2e11aa, 0x0c5b, 0x4f7e, {0x9a, 0x3d, 0x21, 0x43, 0x65, 0x87, 0xa9, 0xcb}};

static void create_lobby(void)
{
	want(me, "CoInitialize", CoInitialize(NULL), S_OK);
	want(me, "CoCreateInstance", CoCreateInstance(&CLSID_DirectPlayLobby, NULL, CLSCTX_INPROC_SERVER,
		SIDE(&IID_IDirectPlayLobby3, &IID_IDirectPlayLobby3A), (void **)&lobby), S_OK);
}

static void register_game(TCHAR *folder)
{
	DPAPPLICATIONDESC d = {.dwSize = sizeof d, .guidApplication = application};
	SIDE(d.lpszApplicationName, d.lpszApplicationNameA) = TEXT("A lobbied game");
	SIDE(d.lpszFilename, d.lpszFilenameA) = TEXT("lobbied.exe");
	SIDE(d.lpszCommandLine, d.lpszCommandLineA) = TEXT("\"two words\" /lobby");
	SIDE(d.lpszPath, d.lpszPathA) = folder;
	SIDE(d.lpszCurrentDirectory, d.lpszCurrentDirectoryA) = folder;
	want(me, "RegisterApplication", IDirectPlayLobby_RegisterApplication(lobby, 0, &d), DP_OK);
	want(me, "RegisterApplication again", IDirectPlayLobby_RegisterApplication(lobby, 0, &d), DPERR_ALREADYREGISTERED);
}

static BOOL CALLBACK listed(LPCDPLAPPINFO info, void *context, DWORD flags)
{
	if (IsEqualGUID(&info->guidApplication, &application)) {
		say("launcher: listed " TEXT_FORMAT " size %lu flags %lu", SIDE(info->lpszAppName, info->lpszAppNameA),
		    (unsigned long)info->dwSize, (unsigned long)flags);
		++*(int *)context;
	}
	return TRUE;
}

// compound returns an address of TCP/IP, and of a machine if host is not NULL.
static void *compound(TCHAR *host, DWORD *size)
{
	GUID provider = DPSPGUID_TCPIP;
	DPCOMPOUNDADDRESSELEMENT e[2] = {{DPAID_ServiceProvider, sizeof provider, &provider}};
	if (host)
		e[1] = (DPCOMPOUNDADDRESSELEMENT){SIDE(DPAID_INetW, DPAID_INet), (lstrlen(host) + 1) * sizeof *host, host};
	*size = 0;
	want(me, "CreateCompoundAddress for its size", IDirectPlayLobby_CreateCompoundAddress(lobby, e, host ? 2 : 1, NULL, size),
	     DPERR_BUFFERTOOSMALL);
	void *address = malloc(*size);
	want(me, "CreateCompoundAddress", IDirectPlayLobby_CreateCompoundAddress(lobby, e, host ? 2 : 1, address, size), DP_OK);
	return address;
}

static DWORD run(BOOL hosts, BOOL agree, TCHAR *host, HANDLE event)
{
	DPSESSIONDESC2 session = {.dwSize = sizeof session, .guidApplication = application};
	DPNAME name = {.dwSize = sizeof name};
	DPLCONNECTION c = {.dwSize = sizeof c, .lpSessionDesc = &session, .lpPlayerName = &name, .guidSP = DPSPGUID_TCPIP};
	if (agree)
		session.guidInstance = agreed;
	c.dwFlags = hosts ? DPLCONNECTION_CREATESESSION : DPLCONNECTION_JOINSESSION;
	SIDE(session.lpszSessionName, session.lpszSessionNameA) = hosts ? TEXT("the lobby's session") : NULL;
	SIDE(session.lpszPassword, session.lpszPasswordA) = TEXT("sesame");
	SIDE(name.lpszShortName, name.lpszShortNameA) = hosts ? TEXT("Host") : TEXT("Joiner");
	SIDE(name.lpszLongName, name.lpszLongNameA) = TEXT("from the lobby");
	c.lpAddress = compound(host, &c.dwAddressSize);
	DWORD id = 0;
	want(me, "RunApplication", IDirectPlayLobby_RunApplication(lobby, 0, &id, &c, event), DP_OK);
	free(c.lpAddress);
	return id;
}

// answer tells the game that this lobby answers: what games ask first.
static void answer(DWORD id, const DPLMSG_GETPROPERTY *asked)
{
	DPLMSG_GETPROPERTYRESPONSE m = {.dwType = DPLSYS_GETPROPERTYRESPONSE, .dwRequestID = asked->dwRequestID,
		.guidPlayer = asked->guidPlayer, .guidPropertyTag = asked->guidPropertyTag, .dwDataSize = sizeof(BOOL),
		.dwPropertyData = {TRUE}};
	BOOL known = IsEqualGUID(&asked->guidPropertyTag, &DPLPROPERTY_MessagesSupported);
	m.hr = known ? DP_OK : DPERR_UNSUPPORTED;
	want(me, "SendLobbyMessage", IDirectPlayLobby_SendLobbyMessage(lobby, DPLMSG_STANDARD, id, &m, sizeof m), DP_OK);
}

// heard tells of a message, and returns whether it was the last one.
static BOOL heard(DWORD id, DWORD flags, const void *message, DWORD size)
{
	static const char *const names[] = {"?", "settings read", "connect failed", "connect succeeded", "terminated"};
	const DPLMSG_SYSTEMMESSAGE *m = message;
	char text[40];
	if (flags == DPLMSG_STANDARD && m->dwType == DPLSYS_GETPROPERTY) {
		say("launcher: heard getproperty %lu octets", (unsigned long)size);
		answer(id, message);
	} else if (flags == DPLMSG_SYSTEM && size == sizeof *m && m->dwType <= DPLSYS_APPTERMINATED) {
		say("launcher: heard %s %s", names[m->dwType], guid_text(&m->guidInstance, text));
		return m->dwType == DPLSYS_APPTERMINATED;
	} else {
		say("launcher: heard its own %.*s", (int)size, (const char *)message);
	}
	return FALSE;
}

static void follow(DWORD id, HANDLE event)
{
	for (BOOL last = FALSE; !last;) {
		DWORD flags = 0, size = 0;
		HRESULT code = IDirectPlayLobby_ReceiveLobbyMessage(lobby, 0, id, &flags, NULL, &size);
		if (code == DPERR_NOMESSAGES) {
			want_event(me, "a message of the game", event);
			continue;
		}
		want(me, "ReceiveLobbyMessage for its size", code, DPERR_BUFFERTOOSMALL);
		void *message = malloc(size);
		want(me, "ReceiveLobbyMessage", IDirectPlayLobby_ReceiveLobbyMessage(lobby, 0, id, &flags, message, &size), DP_OK);
		last = heard(id, flags, message, size);
		free(message);
	}
}

int CDECL _tmain(int count, TCHAR **arguments)
{
	if (count < 3)
		return 2;
	BOOL agree = !lstrcmp(arguments[count - 1], TEXT("agreed"));
	count -= agree;
	create_lobby();
	register_game(arguments[2]);
	int times = 0;
	want(me, "EnumLocalApplications", IDirectPlayLobby_EnumLocalApplications(lobby, listed, &times, 0), DP_OK);
	want(me, "how often it is listed", times, 1);
	HANDLE event = CreateEvent(NULL, FALSE, FALSE, NULL);
	DWORD id = run(arguments[1][0] == 'h', agree, count > 3 ? arguments[3] : NULL, event);
	say("launcher: started a process: %s", id && id != GetCurrentProcessId() ? "yes" : "no");
	follow(id, event);
	want(me, "UnregisterApplication", IDirectPlayLobby_UnregisterApplication(lobby, 0, &application), DP_OK);
	want(me, "UnregisterApplication again", IDirectPlayLobby_UnregisterApplication(lobby, 0, &application), DPERR_NOTREGISTERED);
	want(me, "Release", IDirectPlayLobby_Release(lobby), 0);
	CoUninitialize();
	say("launcher: end");
	return 0;
}
