"""A worker that measures nothing: its arguments say what it answers.

`fake_worker.py SECONDS [DIGEST] [at=REQUEST:BEHAVIOUR]`, where a behaviour is one of those below.
"""

from __future__ import annotations

import json
import sys
import time


def behave(behaviour: str) -> None:
    """Does something else than answering."""
    if behaviour == "die":
        print("first line\nout of luck", file=sys.stderr)
        sys.exit(3)
    if behaviour == "hang":
        time.sleep(60)
    if behaviour == "mumble":
        print("good morning", flush=True)


def main() -> None:
    """Answers until the input ends."""
    seconds, digest = float(sys.argv[1]), sys.argv[2]
    request_of_note, behaviour = (sys.argv[3].split(":") + [""])[:2] if len(sys.argv) > 3 else ("", "")
    for line in sys.stdin:
        request = json.loads(line)
        if request["type"] == request_of_note and behaviour != "unsupported":
            behave(behaviour)
        match request["type"]:
            case "start":
                answer = {"type": "started", "name": "Fake", "version": "1", "threads": "none", "empty_call": 1e-9}
            case "prepare" if behaviour == "unsupported":
                answer = {"type": "unsupported", "reason": "no such type"}
            case "prepare":
                copied = request["workload"].get("bytes", 1 << 20)
                answer = {
                    "type": "ready",
                    "call": "fake(x)",
                    "output": "fresh",
                    "output_types": ["int64"],
                    "bytes_read": copied,
                    "bytes_written": copied,
                    "digest": digest,
                }
            case "run":
                assert request["uncounted"] > 0
                answer = {"type": "ran", "seconds": seconds * request["repetitions"]}
            case _:
                answer = {"type": "dropped"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
