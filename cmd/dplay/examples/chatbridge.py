#!/usr/bin/env python3
"""A bridge that carries chat between two DirectPlay 4 sessions, of two games if need be:

    python3 chatbridge.py dplay join 192.0.2.7 --player Bridge -- dplay join 192.0.2.8 --player Bridge

Both command lines of dplay are given, with "--" between them. What is said to everybody in one session is said in the other
one, with the name of who said it. When one session ends the other one is left as well: the end of its input is enough.
"""

import json
import subprocess
import sys
import threading


def open_session(command):
    return subprocess.Popen(command + ["--commands", "ndjson"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")


def carry(here, there):
    """Carries chat from one session to the other until the first one ends."""
    ours = set()
    try:
        for line in here.stdout:
            e = json.loads(line)
            if e["event"] == "player_created" and e["local"]:
                ours.add(e["id"])
            elif e["event"] == "chat" and e["sent"] == "0x00000000" and e["from"] not in ours:
                text = e.get("from_name", "somebody") + ": " + e["text"]
                there.stdin.write(json.dumps({"command": "say", "text": text}) + "\n")
                there.stdin.flush()
            elif e["event"] == "answer" and not e["ok"]:
                print("not carried: " + e["text"], file=sys.stderr)
    except BrokenPipeError:
        pass  # the other one has ended
    finally:
        try:
            there.stdin.close()
        except BrokenPipeError:
            pass


def main():
    between = sys.argv.index("--")
    left, right = open_session(sys.argv[1:between]), open_session(sys.argv[between + 1:])
    threads = [threading.Thread(target=carry, args=pair) for pair in ((left, right), (right, left))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return left.wait() or right.wait()


if __name__ == "__main__":
    sys.exit(main())
