"""One hostile object between two sound ones, in both forms of JSON."""

from functools import partial

from app.formats.rows import MOST_ROW_BYTES
from tests.formats.hostile.writing import FIRST, KEYS, KNOWN, SECRET, Hostile, Raw, as_json, but, in_array, in_jsonl

# --- What breaks one object ---

BROKEN = [
    ("duplicate key", but(on=Raw('"a", "off": "b"')), "off", "more than once"),
    ("duplicate key", but(expected=Raw('{"arm": 1, "arm": 2}')), "expected.arm", "more than once"),
    ("NaN", but(off=Raw("NaN")), "off", "finite"),
    ("infinity", but(off=Raw("-Infinity")), "off", "finite"),
    ("number beyond a double", but(tags=Raw("[1e999]")), "tags", "finite"),
    ("10,000 digits", but(off=Raw("1" * 10_000)), "off", "too many digits"),
    ("whole number beyond 2^53", but(off=Raw("9007199254740993")), "off", "write it as text"),
    ("lone surrogate, high", but(off=Raw(f'"{SECRET} \\ud83d"')), "off", "character 11 is half of a surrogate"),
    ("lone surrogate, low", but(off=Raw(f'"\\udc00{SECRET}"')), "off", "character 1 is half of a surrogate"),
    ("lone surrogate in a key", but(on=Raw('"a", "o\\ud83dn": 1')), "o\\ud83dn", "in this key, character 2"),
    ("escaped NUL", but(off=Raw(f'"{SECRET}\\u0000"')), "off", "character 10 is NUL"),
    ("escaped NUL in a key", but(on=Raw('"a", "o\\u0000n": 1')), "o\\u0000n", "in this key, character 2 is NUL"),
    ("depth of 100,000 lists", "[" * 100_000, None, "deeper than 20"),
    ("depth of 100,000 objects", '{"off":' * 100_000, None, "deeper than 20"),
    ("depth of 21", but(expected=Raw("[" * 20 + "]" * 20)), "expected", "deeper than 20"),
    ("raw control character", but(off=Raw(f'"{SECRET}\t"')), None, "Invalid control character"),
    ("unknown escape", but(off=Raw(f'"{SECRET}\\x41"')), None, "Invalid \\escape"),
    ("half an escape", but(off=Raw(f'"{SECRET}\\u12"')), None, "Invalid \\uXXXX escape"),
    ("single quotation marks", but().replace('"', "'"), None, "double quotation marks, not single"),
    ("typographic quotation marks", but().replace('"', "“"), None, "straight quotation marks"),
    ("key without quotation marks", but().replace('"off"', "off"), None, "Expecting property name"),
    ("comment behind an object", but() + " // more", None, ("one object a line", "expected a comma or ]")),
    ("two objects without a comma", but() + " " + but(), None, ("one object a line", "expected a comma or ]")),
    ("bracket of the other kind", but()[:-1] + "]", None, "Expecting ',' delimiter"),
    ("comment within an object", but().replace('"off"', '/* more */ "off"'), None, "JSON has no comments"),
    ("trailing comma in an object", but()[:-1] + ",}", None, "not JSON at column"),
    ("missing comma", but().replace(', "off"', ' "off"'), None, "Expecting ',' delimiter"),
    ("missing colon", but().replace('"off":', '"off"'), None, "Expecting ':' delimiter"),
    ("equals sign for a colon", but().replace('"off":', '"off" ='), None, "Expecting ':' delimiter"),
    ("leading zeros", but(off=Raw("007")), None, "Expecting ',' delimiter"),
    ("hexadecimal number", but(off=Raw("0x1F")), None, "Expecting ',' delimiter"),
    ("plus sign", but(off=Raw("+1")), None, "Expecting value"),
    ("number that begins with a dot", but(off=Raw(".5")), None, "Expecting value"),
    ("Python's True", but(semantic_ambiguous=Raw("True")), None, "Expecting value"),
    ("JavaScript's undefined", but(off=Raw("undefined")), None, "Expecting value"),
    ("no value", but(off=Raw("")), None, "Expecting value"),
    ("text of Python bytes", but(off=Raw(f'b"{SECRET}"')), None, "Expecting value"),
    ("Windows-1252", but(off=f"{SECRET}").replace("ö", "\udcf6"), None, "it looks like Windows-1252"),
    ("overlong UTF-8", but(off=Raw('"\udcc0\udcaf"')), None, "is not UTF-8"),
    ("surrogates in UTF-8", but(off=Raw('"\udced\udca0\udcbd"')), None, "is not UTF-8"),
    ("character cut in half", but(off=Raw('"\udce2\udc82"')), None, "is not UTF-8"),
    ("code point beyond Unicode", but(off=Raw('"\udcf5\udc80\udc80\udc80"')), None, "is not UTF-8"),
    ("list in place of an object", as_json([SECRET]), None, "found a list"),
    ("text in place of an object", as_json(SECRET), None, "found text"),
    ("number in place of an object", "1", None, "found a number"),
    ("null in place of an object", "null", None, "found null"),
    ("byte order mark in the middle", "\ufeff" + but(), None, "byte order mark"),
    ("row over 1 MiB", but(off="x" * MOST_ROW_BYTES), None, "1,048,576"),
    ("line separator between objects", but() + "\u2028" + but(), None, ("one object a line", "expected a comma or ]")),
    ("no-break space between keys", but().replace(', "off"', ',\u00a0"off"'), None, "Expecting property name"),
]

# --- What is no item, though it is an object ---

LONG_KEY = "k" * 10_000
WRONG_TYPES = {
    "item_id": 7, "stratum": True, "cluster": ["ep"], "source": 1.5, "raw_hypothesis": {}, "off": False, "on": [SECRET],
    "verbatim_reference": 1, "semantic_reference": {SECRET: 1}, "semantic_provenance": ["speaker"],
    "semantic_ambiguous": "yes", "audio": 1, "lang": 1, "tags": SECRET, "role": 1, "expected": 1, "raw_sha256": 1,
}  # fmt: skip
NO_FILE_NAMES = {
    "up the folders": f"../../{SECRET}.wav",
    "by an absolute name": f"/etc/{SECRET}.wav",
    "in a folder": f"clips/{SECRET}.wav",
    "in a folder of Windows": f"..\\{SECRET}.wav",
    "on a drive of Windows": f"C:{SECRET}.wav",
    "behind another file": f"{SECRET}.wav:hidden",
    "by the name of the folder": ".",
    "by the name of the folder above": "..",
    "by the name of a device": "con",
    "by the name of a device with an ending": "NUL.wav",
    "by the name of a port": "Lpt1.wav",
    "with a control character": f"{SECRET}\x1b.wav",
    "with a line break": f"{SECRET}\n.wav",
    "with a direction override": f"{SECRET}\u202evaw.exe",
    "with a space at its end": f"{SECRET}.wav ",
    "with a point at its end": f"{SECRET}.wav.",
    "by a pattern": "*.wav",
    "by a name over 200 characters": SECRET * 30 + ".wav",
}
KNOWN_ANSWER = {"label": "destructive-content", "arm": "on", "reasons": ["negation"]}
NO_ANSWERS = [
    ("without a label", {"label": None}, "label", "needs it"),
    ("outside the codebook", {"label": SECRET}, "label", "not one of destructive-content"),
    ("with a panel for an arm", {"arm": "A"}, "arm", "one of: off, on, both"),
    ("with a list of arms", {"arm": ["off", "on"]}, "arm", "one of: off, on, both"),
    ("without an arm", {"arm": None}, "arm", "does not fit the label"),
    ("without a reason", {"reasons": []}, "reasons", "one or more reasons"),
    ("with a reason of another label", {"reasons": ["reversed"]}, "reasons", "reasons of this label"),
    ("with a reason outside the codebook", {"reasons": [SECRET]}, "reasons", "reasons of this label"),
    ("with reasons that are no list", {"reasons": SECRET}, "reasons", "a list of reason codes"),
    ("with an unknown key", {"colour": SECRET}, "colour", "unknown key"),
    ("with an explanation over 2,000 characters", {"explanation": SECRET * 300}, "explanation", "at most 2,000"),
    ("with an explanation that turns lines round", {"explanation": f"\u202e{SECRET}"}, "explanation", "control"),
]
NO_ITEM = [
    *[("wrong type", {key: value}, key, "expected") for key, value in WRONG_TYPES.items()],
    *[("null for a needed key", {key: None}, key, "every item needs it") for key in KEYS],
    ("unknown key", {"colour": SECRET}, "colour", "unknown key"),
    ("key in capitals", {"Off": SECRET}, "Off", "unknown key"),
    ("key with a space", {"off ": SECRET}, "off ", "unknown key"),
    ("key of another alphabet", {"\u043eff": SECRET}, "\u043eff", "unknown key"),
    ("key with an invisible character", {"o\x1b[2Jff": SECRET}, "o\\u001b[2Jff", "invisible characters"),
    ("key of 10,000 characters", {LONG_KEY: SECRET}, LONG_KEY[:60], "unknown key"),
    ("text over 20,000 characters", {"off": SECRET * 3_000}, "off", "text of 27,000 characters"),
    (
        "reference over 20,000 characters",
        {"semantic_reference": SECRET * 3_000},
        "semantic_reference",
        "at most 20,000",
    ),
    ("name over 200 characters", {"item_id": SECRET * 30}, "item_id", "1 to 200"),
    ("empty name", {"cluster": ""}, "cluster", "text of 1 to 200"),
    ("name with a space at its end", {"item_id": f"{SECRET} "}, "item_id", "spaces at its ends"),
    ("name with a no-break space at its start", {"item_id": f"\u00a0{SECRET}"}, "item_id", "spaces at its ends"),
    ("name with a line break", {"stratum": f"{SECRET}\nfluent"}, "stratum", "without line breaks"),
    ("name with a line separator", {"stratum": f"{SECRET}\u2028fluent"}, "stratum", "without line breaks"),
    ("name with a right-to-left mark", {"item_id": f"{SECRET}\u200f"}, "item_id", "expected text"),
    ("name with a direction override", {"item_id": f"\u202e{SECRET}"}, "item_id", "expected text"),
    ("name with a zero-width space", {"item_id": f"{SECRET}\u200b1"}, "item_id", "expected text"),
    ("name with a control character", {"item_id": f"{SECRET}\x1b[31m"}, "item_id", "expected text"),
    ("name with a byte order mark", {"cluster": f"{SECRET}\ufeff"}, "cluster", "expected text"),
    ("too many tags", {"tags": ["block"] * 201}, "tags", "short texts"),
    ("tag with a space at its end", {"tags": ["block "]}, "tags", "short texts"),
    ("tag over 200 characters", {"tags": [SECRET * 30]}, "tags", "short texts"),
    ("empty tag", {"tags": ["block", ""]}, "tags", "short texts"),
    ("recogniser as provenance", {"semantic_provenance": "asr"}, "semantic_provenance", "one of"),
    ("provenance in capitals", {"semantic_provenance": "Speaker"}, "semantic_provenance", "one of"),
    ("digest in capitals", {"raw_sha256": "A" * 64}, "raw_sha256", "64 lower-case"),
    ("digest cut short", {"raw_sha256": "a" * 63}, "raw_sha256", "64 lower-case"),
    ("digest of another text", {"raw_sha256": "0" * 64}, "raw_sha256", "is not the digest"),
    *[(f"recording {told}", {"audio": name}, "audio", "without a folder") for told, name in NO_FILE_NAMES.items()],
    ("role of another kind", {"role": SECRET}, "role", "one of"),
    ("sentinel without its answer", {"role": "sentinel"}, "expected", "needs its known answer"),
    ("practice item without its answer", {"role": "practice"}, "expected", "needs its known answer"),
    ("known answer of a study item", {"expected": {"label": "benign-retention"}}, "expected", "only a sentinel"),
    *[
        (f"known answer {told}", {"role": "sentinel", "expected": KNOWN_ANSWER | changed}, f"expected.{key}", phrase)
        for told, changed, key, phrase in NO_ANSWERS
    ],
    (
        "practice item without an explanation",
        {"role": "practice", "expected": KNOWN_ANSWER},
        "expected.explanation",
        "every practice item needs it",
    ),
    ("id twice in the file", {"item_id": "N-1"}, "item_id", "too"),
    ("id in the study already", {"item_id": KNOWN["item_id"]}, "item_id", "in the study already"),
    ("pair swapped in the file", {"off": FIRST["on"], "on": FIRST["off"]}, "on", "with off and on swapped"),
    ("pair swapped in the study", {"off": KNOWN["on"], "on": KNOWN["off"]}, "on", "in the study already with off"),
]


def json_files():
    forms = (("jsonl", in_jsonl, 2), ("array", in_array, 3))
    for kind, bad, field, phrase in [*BROKEN, *((kind, but(**changes), *rest) for kind, changes, *rest in NO_ITEM)]:
        phrases = phrase if isinstance(phrase, tuple) else (phrase, phrase)
        for (form, place, line), told in zip(forms, phrases, strict=True):
            yield Hostile(kind, form, partial(place, bad), line, field, told)
