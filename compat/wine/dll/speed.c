// What a dplayx.dll costs the game that loads it: time to load, to be called first and to enter a session, threads, and messages a
// second through Send and Receive.
//
//   speed host NAME             hosts a session and sends back whatever its player is sent, until a message says "end"
//   speed join ADDRESS COUNT    loads, finds, joins, measures COUNT messages of each kind, and prints one JSON object
//
// Which dplayx.dll it is, WINEDLLOVERRIDES and what lies beside the program say.
#define COBJMACROS
#define INITGUID
#include <windows.h>
#include <dplay.h>
#include <dplobby.h> // DPAID_
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tlhelp32.h>

// {7a3c0e2e-4a5f-4a9d-9a53-6d1c55a1d001}: the application of this test
DEFINE_GUID(APPLICATION, 0x7a3c0e2e, 0x4a5f, 0x4a9d, 0x9a, 0x53, 0x6d, 0x1c, 0x55, 0xa1, 0xd0, 0x01);

enum { octets = 32, patience = 120 }; // of a message; seconds that are waited for anything

static const GUID none;

typedef HRESULT(WINAPI *create)(GUID *, IDirectPlay **, IUnknown *);

static double now(void)
{
	static LARGE_INTEGER frequency;
	LARGE_INTEGER count;
	if (!frequency.QuadPart)
		QueryPerformanceFrequency(&frequency);
	QueryPerformanceCounter(&count);
	return (double)count.QuadPart / (double)frequency.QuadPart;
}

static void must(HRESULT result, const char *what)
{
	if (FAILED(result)) {
		fprintf(stderr, "%s: 0x%08lx\n", what, (unsigned long)result);
		ExitProcess(1);
	}
}

static int threads(void)
{
	THREADENTRY32 entry = {.dwSize = sizeof entry};
	HANDLE all = CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0);
	int count = 0;
	for (BOOL more = Thread32First(all, &entry); more; more = Thread32Next(all, &entry))
		count += entry.th32OwnerProcessID == GetCurrentProcessId();
	CloseHandle(all);
	return count;
}

// costs is what is measured, in seconds.
static struct {
	double load, call, join;
} costs;

// new_object loads the DLL and returns an object without a connection.
static IDirectPlay4A *new_object(void)
{
	IDirectPlay *first = NULL;
	IDirectPlay4A *object = NULL;
	double start = now();
	HMODULE library = LoadLibraryA("dplayx.dll");
	costs.load = now() - start;
	if (!library) {
		fprintf(stderr, "LoadLibrary: %lu\n", GetLastError());
		ExitProcess(1);
	}
	create make = (create)(void *)GetProcAddress(library, "DirectPlayCreate");
	start = now();
	must(make((GUID *)&none, &first, NULL), "DirectPlayCreate");
	costs.call = now() - start;
	must(IDirectPlay_QueryInterface(first, &IID_IDirectPlay4A, (void **)&object), "QueryInterface");
	IDirectPlay_Release(first);
	return object;
}

static char *chunk(char *at, const GUID *type, const void *data, DWORD size)
{
	memcpy(at, type, sizeof *type);
	memcpy(at + 16, &size, sizeof size);
	memcpy(at + 20, data, size);
	return at + 20 + size;
}

// initialize has the object search at an address, or on the local network.
static void initialize(IDirectPlay4A *object, const char *address)
{
	char compound[512];
	DWORD size = 0;
	char *end = chunk(compound, &DPAID_TotalSize, &size, sizeof size);
	end = chunk(end, &DPAID_ServiceProvider, &DPSPGUID_TCPIP, sizeof(GUID));
	end = chunk(end, &DPAID_INet, address, (DWORD)strlen(address) + 1);
	size = (DWORD)(end - compound);
	memcpy(compound + 20, &size, sizeof size);
	must(IDirectPlayX_InitializeConnection(object, compound, 0), "InitializeConnection");
}

static DPID new_player(IDirectPlay4A *object, const char *name)
{
	DPNAME names = {.dwSize = sizeof names, .lpszShortNameA = (char *)name, .lpszLongNameA = (char *)name};
	DPID player = 0;
	must(IDirectPlayX_CreatePlayer(object, &player, &names, NULL, NULL, 0, 0), "CreatePlayer");
	return player;
}

static void host(const char *name)
{
	IDirectPlay4A *object = new_object();
	initialize(object, "");
	DPSESSIONDESC2 session = {.dwSize = sizeof session, .guidApplication = APPLICATION, .lpszSessionNameA = (char *)name};
	must(IDirectPlayX_Open(object, &session, DPOPEN_CREATE), "Open");
	DPID player = new_player(object, "host");
	printf("ready\n");
	fflush(stdout);
	for (;;) {
		char message[256];
		DWORD size = sizeof message;
		DPID from = 0, to = 0;
		HRESULT result = IDirectPlayX_Receive(object, &from, &to, DPRECEIVE_ALL, message, &size);
		if (result == DPERR_NOMESSAGES) {
			Sleep(1);
			continue;
		}
		must(result, "Receive");
		if (from == DPID_SYSMSG)
			continue;
		if (size == 3 && !memcmp(message, "end", 3))
			break;
		must(IDirectPlayX_Send(object, player, from, message[0] == 'g' ? DPSEND_GUARANTEED : 0, message, size), "Send");
	}
	IDirectPlayX_Close(object);
	IDirectPlayX_Release(object);
}

static BOOL CALLBACK found(LPCDPSESSIONDESC2 session, DWORD *timeout, DWORD flags, void *instance)
{
	(void)timeout;
	if (flags & DPESC_TIMEDOUT)
		return FALSE;
	*(GUID *)instance = session->guidInstance;
	return FALSE;
}

static BOOL CALLBACK listed(DPID player, DWORD type, LPCDPNAME name, DWORD flags, void *context)
{
	(void)type;
	(void)name;
	(void)flags;
	*(DPID *)context = player;
	return TRUE;
}

// drain takes messages until one from a player came, and returns its size. It gives up when nothing comes any more.
static DWORD drain(IDirectPlay4A *object, char *message, DWORD room)
{
	for (double start = now(); now() - start < patience;) {
		DWORD size = room;
		DPID from = 0, to = 0;
		HRESULT result = IDirectPlayX_Receive(object, &from, &to, DPRECEIVE_ALL, message, &size);
		if (result == DPERR_NOMESSAGES)
			continue;
		must(result, "Receive");
		if (from != DPID_SYSMSG)
			return size;
	}
	fprintf(stderr, "no message came for %d s\n", patience);
	ExitProcess(1);
}

// A kind is one way to send: its name, the first octet of its messages, and its flags. Guaranteed messages come first: others may
// overtake the news of who sends them.
static const struct kind {
	const char *name;
	char first;
	DWORD flags;
} kinds[] = {{"guaranteed", 'g', DPSEND_GUARANTEED}, {"unguaranteed", 'u', 0}};

// measure sends count messages a kind, and takes the answers: in tens, so that no buffer of the system overflows. It prints the
// microseconds of a Send, of a Receive of a message that waits, of one on an empty queue, and of a message and its answer.
static void measure(IDirectPlay4A *object, DPID player, DPID to, int count)
{
	enum { batch = 10 };
	char message[256];
	DWORD size = sizeof message;
	DPID nobody = 0, whom = 0;
	while (IDirectPlayX_Receive(object, &nobody, &whom, DPRECEIVE_ALL, message, &size) != DPERR_NOMESSAGES) // who is there
		size = sizeof message;
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		double sending = 0, receiving = 0, begin = now();
		int lost = 0;
		for (int i = 0; i < count; i += batch) {
			memset(message, 0, sizeof message);
			message[0] = kinds[k].first;
			double start = now();
			for (int j = 0; j < batch; j++)
				must(IDirectPlayX_Send(object, player, to, kinds[k].flags, message, octets), "Send");
			sending += now() - start;
			DWORD waiting = 0;
			for (start = now(); now() - start < (kinds[k].flags ? patience : 1); Sleep(1)) {
				must(IDirectPlayX_GetMessageCount(object, 0, &waiting), "GetMessageCount");
				if (waiting >= batch)
					break;
			}
			lost += batch - (int)waiting;
			start = now();
			for (DWORD j = 0; j < waiting; j++)
				if (drain(object, message, sizeof message) != octets)
					must(DPERR_GENERIC, "size of an answer");
			receiving += now() - start;
		}
		printf(",\"%s_send_us\":%.3f,\"%s_receive_us\":%.3f,\"%s_per_second\":%.0f,\"%s_lost\":%d", kinds[k].name,
			sending / count * 1e6, kinds[k].name, receiving / count * 1e6, kinds[k].name, count / (now() - begin), kinds[k].name,
			lost);
	}
	enum { polls = 1000000 };
	double start = now();
	for (int i = 0; i < polls; i++) {
		size = sizeof message;
		if (IDirectPlayX_Receive(object, &nobody, &whom, DPRECEIVE_ALL, message, &size) != DPERR_NOMESSAGES)
			must(DPERR_GENERIC, "Receive on an empty queue");
	}
	printf(",\"empty_receive_ns\":%.1f", (now() - start) / polls * 1e9);
}

static void join(const char *address, int count)
{
	IDirectPlay4A *object = new_object();
	DPSESSIONDESC2 session = {.dwSize = sizeof session, .guidApplication = APPLICATION};
	initialize(object, address);
	for (double start = now(); IsEqualGUID(&session.guidInstance, &none) && now() - start < patience;)
		must(IDirectPlayX_EnumSessions(object, &session, 0, found, &session.guidInstance, DPENUMSESSIONS_AVAILABLE), "EnumSessions");
	double start = now();
	must(IDirectPlayX_Open(object, &session, DPOPEN_JOIN), "Open");
	DPID player = new_player(object, "joiner"), other = 0;
	costs.join = now() - start;
	must(IDirectPlayX_EnumPlayers(object, NULL, listed, &other, DPENUMPLAYERS_REMOTE), "EnumPlayers");
	printf("{\"load_ms\":%.2f,\"first_call_ms\":%.2f,\"join_ms\":%.2f", costs.load * 1e3, costs.call * 1e3, costs.join * 1e3);
	measure(object, player, other, count);
	printf(",\"threads\":%d}\n", threads());
	IDirectPlayX_Send(object, player, other, DPSEND_GUARANTEED, "end", 3);
	IDirectPlayX_Close(object);
	IDirectPlayX_Release(object);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "host"))
		host(argv[2]);
	else if (argc == 4 && !strcmp(argv[1], "join"))
		join(argv[2], atoi(argv[3]));
	else {
		fprintf(stderr, "usage: speed host NAME | speed join ADDRESS COUNT\n");
		return 2;
	}
	return 0;
}
