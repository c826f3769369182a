#!/usr/bin/env python3
"""A bot that answers what is said to it in a DirectPlay 4 session. It needs nothing but Python and dplay:

    python3 echobot.py dplay join 192.0.2.7 --player Echo

What follows the name of the script is the command line of dplay. The bot repeats chat, sends game messages back as they
came, greets who comes, and leaves when somebody says "bye". It shows all that a bot does: it writes commands, a JSON object
a line, reads events, and knows by the id of an answer which command it is about.
"""

import json
import subprocess
import sys


class Dplay:
    """A dplay that obeys us."""

    def __init__(self, command):
        self.process = subprocess.Popen(command + ["--commands", "ndjson"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, encoding="utf-8")
        self.commands = 0

    def events(self):
        """The events, until the session ends."""
        for line in self.process.stdout:
            yield json.loads(line)

    def do(self, command, **keys):
        """Gives a command. Its answer is an event with the id that this returns."""
        self.commands += 1
        self.process.stdin.write(json.dumps({"command": command, "id": self.commands, **keys}) + "\n")
        self.process.stdin.flush()
        return self.commands


def main():
    dplay = Dplay(sys.argv[1:])
    ours = set()  # our players
    asked = {}    # what we wait to hear of, by the id of the command
    for e in dplay.events():
        if e["event"] == "player_created" and e["local"]:
            ours.add(e["id"])
        elif e["event"] == "player_created" and ours:
            asked[dplay.do("say", to=e["id"], text="hello " + e["name"])] = "greeting " + e["name"]
        elif e["event"] == "chat" and e["from"] not in ours and e["text"] == "bye":
            dplay.do("leave")
        elif e["event"] == "chat" and e["from"] not in ours:
            asked[dplay.do("say", **{"from": e["to"]}, text=e.get("from_name", "somebody") + " says " + e["text"])] = "repeating"
        elif e["event"] == "message" and e["from"] not in ours:
            keys = {"from": e["to"], "to": e["from"], "payload": e["payload"], "guaranteed": e["guaranteed"]}
            asked[dplay.do("send", **keys)] = "sending back"
        elif e["event"] == "answer":
            what = asked.pop(e.get("id"), "leaving")
            if not e["ok"]:
                print(what + " failed: " + e["text"], file=sys.stderr)
    return dplay.process.wait()


if __name__ == "__main__":
    sys.exit(main())
