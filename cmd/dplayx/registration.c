// DllRegisterServer and DllUnregisterServer: which DLL a program gets that asks COM for DirectPlay. What was there before is
// noted, and put back. Each DLL, 32-bit or 64-bit, sees the half of the registry for programs of its own kind.
#include <string.h>

#include "shell.h"

static const wchar_t *const classes[][2] = {
	{L"SOFTWARE\\Classes\\CLSID\\{D1EB6D20-8923-11D0-9D97-00A0C90A43CB}", L"DirectPlay Object"},
	{L"SOFTWARE\\Classes\\CLSID\\{2FE8F810-B2A5-11D0-A787-0000F803ABFC}", L"DirectPlayLobby Object"},
};

// The values of the server's key, beside ours: NULL is the one without a name, which is the DLL.
static const wchar_t *const values[][3] = {
	{NULL, L"DplayBefore", L"DplayServer"},
	{L"ThreadingModel", L"DplayThreadingModelBefore", NULL},
};

enum { CLASSES = sizeof classes / sizeof *classes, VALUES = sizeof values / sizeof *values, LONGEST = 1024 };
enum { NAME, BEFORE, OURS };

static const wchar_t server[] = L"InprocServer32";

// A Text is a value of the registry. It is empty if there is none.
typedef struct Text {
	wchar_t text[LONGEST];
	DWORD type;
} Text;

static Text get_text(HKEY key, const wchar_t *name)
{
	Text t = {.type = REG_SZ}, none = {.type = REG_SZ};
	DWORD size = sizeof t.text - sizeof *t.text;

	if (RegQueryValueExW(key, name, NULL, &t.type, (BYTE *)t.text, &size) != ERROR_SUCCESS)
		return none;
	return t.type == REG_SZ || t.type == REG_EXPAND_SZ ? t : none;
}

static LONG set_text(HKEY key, const wchar_t *name, const wchar_t *text, DWORD type)
{
	return RegSetValueExW(key, name, 0, type, (const BYTE *)text, (DWORD)((wcslen(text) + 1) * sizeof *text));
}

// registered is whether the DLL that a key names is one that we put there.
static bool registered(HKEY key)
{
	Text is = get_text(key, NULL), ours = get_text(key, values[0][OURS]);

	return *ours.text && !wcscmp(is.text, ours.text);
}

static LONG fill(HKEY key, const wchar_t *path)
{
	const wchar_t *const texts[VALUES] = {path, L"Both"};
	LONG error = ERROR_SUCCESS;
	int i;

	if (!registered(key)) {
		for (i = 0; i < VALUES && !error; i++) {
			Text t = get_text(key, values[i][NAME]);

			error = set_text(key, values[i][BEFORE], t.text, t.type);
		}
	}
	if (!error)
		error = set_text(key, values[0][OURS], path, REG_SZ);
	for (i = 0; i < VALUES && !error; i++)
		error = set_text(key, values[i][NAME], texts[i], REG_SZ);
	return error;
}

static LONG register_class(int class, const wchar_t *path)
{
	HKEY key, in;
	LONG error = RegCreateKeyExW(HKEY_LOCAL_MACHINE, classes[class][0], 0, NULL, 0, KEY_ALL_ACCESS, NULL, &key, NULL);

	if (error)
		return error;
	if (!*get_text(key, NULL).text)
		set_text(key, NULL, classes[class][1], REG_SZ);
	error = RegCreateKeyExW(key, server, 0, NULL, 0, KEY_ALL_ACCESS, NULL, &in, NULL);
	if (!error) {
		error = fill(in, path);
		RegCloseKey(in);
	}
	RegCloseKey(key);
	return error;
}

// put_back gives a key what it had before, and returns whether it had anything. What others have put there since stays.
static bool put_back(HKEY key)
{
	bool ours = registered(key);
	int i;

	for (i = 0; i < VALUES; i++) {
		Text t = get_text(key, values[i][BEFORE]);

		if (ours && *t.text)
			set_text(key, values[i][NAME], t.text, t.type);
		else if (ours)
			RegDeleteValueW(key, values[i][NAME]);
		RegDeleteValueW(key, values[i][BEFORE]);
	}
	RegDeleteValueW(key, values[0][OURS]);
	return *get_text(key, NULL).text;
}

static LONG unregister_class(int class)
{
	HKEY key, in;
	LONG error = RegOpenKeyExW(HKEY_LOCAL_MACHINE, classes[class][0], 0, KEY_ALL_ACCESS, &key);

	if (error)
		return error == ERROR_FILE_NOT_FOUND ? ERROR_SUCCESS : error;
	error = RegOpenKeyExW(key, server, 0, KEY_ALL_ACCESS, &in);
	if (!error) {
		bool used = put_back(in);

		RegCloseKey(in);
		if (!used && RegDeleteKeyW(key, server) == ERROR_SUCCESS && !wcscmp(get_text(key, NULL).text, classes[class][1]))
			RegDeleteKeyW(HKEY_LOCAL_MACHINE, classes[class][0]); // unless there is more below it
	}
	RegCloseKey(key);
	return error == ERROR_FILE_NOT_FOUND ? ERROR_SUCCESS : error;
}

HRESULT WINAPI DllRegisterServer(void)
{
	wchar_t path[LONGEST];
	HMODULE self;
	DWORD size;
	LONG error = ERROR_SUCCESS;
	int i;

	if (!GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
		(const wchar_t *)(void *)DllRegisterServer, &self))
		return HRESULT_FROM_WIN32(GetLastError());
	size = GetModuleFileNameW(self, path, LONGEST);
	if (size == 0 || size == LONGEST)
		return HRESULT_FROM_WIN32(ERROR_BAD_PATHNAME);
	for (i = 0; i < CLASSES && !error; i++)
		error = register_class(i, path);
	return HRESULT_FROM_WIN32(error);
}

HRESULT WINAPI DllUnregisterServer(void)
{
	LONG error = ERROR_SUCCESS;
	int i;

	for (i = 0; i < CLASSES && !error; i++)
		error = unregister_class(i);
	return HRESULT_FROM_WIN32(error);
}
