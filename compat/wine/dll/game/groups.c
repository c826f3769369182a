/* A group: the host makes it before others come, and everybody enters it. */
#include "game.h"

static DPID group;

void make_group(void)
{
	DPNAME name = {.dwSize = sizeof name};
	name.lpszShortNameA = name.lpszLongNameA = (char *)"team";
	must("CreateGroup", CALL(CREATE_GROUP, IDirectPlayX_CreateGroup(game, &group, &name, NULL, 0, 0)) == DP_OK);
	must("AddPlayerToGroup", CALL(ADD_PLAYER_TO_GROUP, IDirectPlayX_AddPlayerToGroup(game, group, me)) == DP_OK);
}

static BOOL CALLBACK group_found(DPID id, DWORD type, const DPNAME *name, DWORD flags, void *context)
{
	(void)type, (void)flags, (void)context;
	event("group");
	json_word("id", id);
	json_text("short", name->lpszShortNameA ? name->lpszShortNameA : "");
	json_end();
	group = id;
	return TRUE;
}

static BOOL CALLBACK member_found(DPID id, DWORD type, const DPNAME *name, DWORD flags, void *context)
{
	(void)type, (void)name, (void)flags, (void)context;
	group_member(group, id);
	return TRUE;
}

void enter_group(void)
{
	CALL(ENUM_GROUPS, IDirectPlayX_EnumGroups(game, NULL, group_found, NULL, 0));
	must("a group", hr == DP_OK && group);
	CALL(ENUM_GROUP_PLAYERS, IDirectPlayX_EnumGroupPlayers(game, group, NULL, member_found, NULL, 0));
	must("EnumGroupPlayers", hr == DP_OK);
	must("AddPlayerToGroup", CALL(ADD_PLAYER_TO_GROUP, IDirectPlayX_AddPlayerToGroup(game, group, me)) == DP_OK);
}

void group_member(DPID id, DPID player)
{
	struct player *p = id == group && player != me ? other_comes(player) : NULL;
	if (p)
		p->member = TRUE;
}

BOOL group_complete(void)
{
	DWORD i;
	for (i = 0; i < nothers; i++)
		if (others[i].here && !others[i].member)
			return FALSE;
	return TRUE;
}

void talk_to_group(void) { send_message(group, GROUP, 1, menu_size(1), TRUE); }

void json_group(void)
{
	DWORD i;
	json_open("members", '[');
	for (i = 0; i < nothers; i++)
		if (others[i].member)
			json_word(NULL, others[i].id);
	json_close(']');
}
