"""Words planted in every private field, each in that one alone, and whatever is said meanwhile, logs included."""

import contextlib
import io
import json
import logging
import re

from app.domain import protocol, rights
from tests.house import PROTOCOL, RIGHTS, jsonl
from tests.sounds import wav

WORD = "quokka"  # begins every planted word, and stands nowhere in the program
PLANTED = re.compile(rf"{WORD}\w*", re.IGNORECASE)
PEOPLE = {"rosa": "reviewer", "ravi": "reviewer", "ines": "adjudicator", "lena": "lead"}
CAST = {f"{WORD}{name}": role for name, role in PEOPLE.items()}
ROSA, RAVI, INES, LENA = CAST
SOUND = f"{WORD}sound.wav"  # people are often called in the names of files
RULES = PROTOCOL + "[review]\npractice = true\nsentinels = true\nblinding_check = 0.5\n"
LEDGER = RIGHTS.replace("the project's lawyer", f"{WORD}lawyer")


def said(text):
    """Return the planted words that a text holds."""
    return {found.casefold() for found in PLANTED.findall(text)}


def word(field):
    return WORD + field.replace("_", "")


def row(number, stratum="word_repetition", **more):
    """Return an item of which each private field holds a word of its own."""
    spoken = {
        key: f"the {word(key)} went to to town {number}"
        for key in ("raw_hypothesis", "off", "verbatim_reference", "semantic_reference")
    }
    found = {"item_id": f"{word('item_id')}-{number}", "stratum": stratum, "cluster": f"{word('cluster')}-{number}"}
    found |= {"source": "invented", "on": f"the {word('on')} went to town {number}", "tags": [word("tag")]}
    return found | spoken | {"raw_hypothesis": spoken["off"]} | more


def rows():
    """Return two items with recordings, a sentinel, and two of the practice round."""
    known = {"label": "destructive-content", "arm": "on", "reasons": ["negation"]}
    told = known | {"explanation": f"a {word('explanation')} is gone"}
    strata = ("word_repetition", "fluent")
    found = [row(number, stratum, audio=SOUND) for number, stratum in enumerate(strata)]
    found += [row(7, "fluent", role="sentinel", expected=known)]
    return found + [row(number, "fluent", role="practice", expected=told) for number in (8, 9)]


def faulty_items(form="items"):
    """Yield files that are refused for one kind of fault each, with planted words where they are wrong.

    `form`: items, or what else has such rows: raw texts, hypotheses, a table of other columns, a memo.
    """
    good = {key: value for key, value in row(1).items() if form != "raw" or key not in {"off", "on"}}
    yield jsonl([good | {key: {word(key): [word(key)]}} for key in good])  # of another type
    yield jsonl([good | {key: f"{word(key)}\0"} for key in good])  # what no store can keep
    yield jsonl([good | {key: f"{word(key)} " * 4_000} for key in good])  # too long
    turned = good | {"item_id": "x", "off": good.get("on"), "on": good.get("off")}
    yield jsonl([good, good, *([turned] * (form == "items"))])
    yield b'{"item_id": "' + word("item_id").encode() + b'", "off": ' + word("off").encode()
    yield jsonl([good]) + b'{"off": "' + word("off").encode() + b'", "on": 1e999}'
    yield json.dumps([good, good])[:-9].encode()  # breaks off
    head = "item_id,stratum,cluster,source,raw_hypothesis,off,on\n"
    cells = ",".join(word(key) for key in head.strip().split(","))
    yield f"{cells}\n{cells}\n".encode()  # without its header
    yield f"{head}{cells},{word('cell')}\n".encode()
    yield f'{head}{cells}\n"{word("cell")},{cells}\n'.encode()
    yield head.encode() + f"{word('cell')} \u00e9,{cells}\n".encode("cp1252")
    yield f"{word('cell')}\n{word('cell')}\n".encode()  # one column


def faulty_rules(form="protocol"):
    """Yield TOML files that are refused for one kind of fault each: a protocol's, a ledger's or a column map's."""
    tables = {
        "protocol": {f"[{section}]": [each.key for each in found] for section, found in protocol.BY_SECTION.items()},
        "ledger": {"[[source]]": list(rights.FIELDS)},
        "columns": {"": ["item_id", "cluster", "source", "labels", "exclude", "off", "on"]},
    }[form]
    for value in (f"[[ '{word('value')}' ]]", f'"{word("value")}\\u0000"', f"{{ {word('key')} = '{word('value')}' }}"):
        lines = [line for head, keys in tables.items() for line in (head, *(f"{key} = {value}" for key in keys))]
        yield "\n".join(lines).encode()
    yield f"title = {word('value')}\n".encode()
    yield f'title = "{word("value")}\n'.encode()
    yield f'title = "{word("value")}"\ntitle = "{word("value")}"\n'.encode()
    yield f'title = "{word("value")}\u00e9"\n'.encode("cp1252")


@contextlib.contextmanager
def everything_logged():
    """Give what every logger there is writes at the lowest level, whatever level somebody set."""
    import alembic.runtime.migration  # noqa: F401 - loggers of what is imported late
    import uvicorn  # noqa: F401

    written, root = io.StringIO(), logging.getLogger()
    loggers = [root, *(each for each in root.manager.loggerDict.values() if isinstance(each, logging.Logger))]
    levels = {each: each.level for each in loggers}
    handler = logging.StreamHandler(written)
    root.addHandler(handler)
    for each in loggers:
        each.setLevel(1)
    try:
        yield written
    finally:
        root.removeHandler(handler)
        for each, level in levels.items():
            each.setLevel(level)


TABLE = "nr,group,who,heard,without,with\n" + "".join(
    f"{word('item_id')}-{number},fluent,{word('cluster')},{word('off')} {number},{word('off')} {number},{word('on')}\n"
    for number in range(2)
)
MAP = """
item_id = "nr"
stratum = "group"
cluster = "who"
raw_hypothesis = "heard"
off = "without"
on = "with"
source = { constant = "invented" }
"""


def fill(folder):
    """Fill a folder with a study's files, and with recordings that are well, wrong and asked for by nobody."""
    files = {"p.toml": RULES.encode(), "r.toml": LEDGER.encode(), "items.jsonl": jsonl(rows())}
    files |= {"table.csv": TABLE.encode(), "map.toml": MAP.encode()}
    for name, data in files.items():
        (folder / name).write_bytes(data)
    sounds = {"clips": {SOUND: wav(), f"{word('aside')}.txt": word("cell").encode()}, "wrong": {SOUND: b"no sound"}}
    for place, found in sounds.items():
        (folder / place).mkdir()
        for name, data in found.items():
            (folder / place / name).write_bytes(data)
