// Text with 8 bits, by the code page of this machine, as Windows converts it.
#include "shell.h"

uint32_t to_utf16(const char *text, uint32_t size, uint16_t *out, uint32_t room)
{
	return (uint32_t)MultiByteToWideChar(CP_ACP, 0, text, (int)size, (wchar_t *)out, (int)room);
}

uint32_t to_octets(const uint16_t *text, uint32_t size, char *out, uint32_t room)
{
	return (uint32_t)WideCharToMultiByte(CP_ACP, 0, (const wchar_t *)text, (int)size, out, (int)room, NULL, NULL);
}
