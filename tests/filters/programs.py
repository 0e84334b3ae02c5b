"""Filters as programs of a few lines, written to a file and run with this Python."""

import shlex
import sys
import textwrap

TIDY = """
    import json, sys

    CONFIG = {"off": {"drop": []}, "on": {"drop": ["um"]}}

    def tidied(text):
        return " ".join(word for word in text.split(" ") if word != "um")

    for line in sys.stdin:
        asked = json.loads(line)
        if "evenhand" in asked:
            said = {"name": "tidy", "version": "1.0", "config": CONFIG}
        else:
            said = {"id": asked["id"], "text": tidied(asked["text"]) if asked["enabled"] else asked["text"]}
        print(json.dumps(said), flush=True)
"""
# What follows is said instead of the second text's answer: `asked` is the question, `answer` what would be right.
UNUSUAL = """
    import json, os, signal, subprocess, sys, time

    told = lambda said: print(said if isinstance(said, str) else json.dumps(said), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        answer = {"id": asked.get("id"), "text": asked.get("text")}
        if "evenhand" in asked:
            told({"name": "odd", "version": "1", "config": {}})
        elif asked["id"] != 2:
            told(answer)
        else:
            INSTEAD
    AT_THE_END
"""


def program(folder, source, name="filter.py"):
    """Write a program; return the words that start it."""
    path = folder / name
    path.write_text(textwrap.dedent(source), encoding="utf-8")
    return [sys.executable, str(path)]


def odd(folder, instead="told(answer)", at_the_end="pass"):
    """Write a program that does something else when it is asked for the second time, or at the end."""
    return program(folder, UNUSUAL.replace("INSTEAD", instead).replace("AT_THE_END", at_the_end), "odd.py")


def typed(words):
    """Return words as somebody types them after --exec."""
    return shlex.join(words)
