"""Speak some of the demo's items: small Ogg Opus files in `app/content/demo/audio`.

`speech.toml` names the items and gives each episode a voice. What is spoken is the
verbatim reference, its repeated sounds respelled so that they come out as sounds and
not as names of letters. It is plain synthesis: it repeats and pauses where the text
does, and claims no likeness to anybody's speech. The committed files were made with
eSpeak NG 1.51 and opusenc of opus-tools 0.2 (libopus 1.3.1); the same versions give
the same bytes, other versions others:

    apt-get install --no-install-recommends espeak-ng opus-tools
    python -m scripts.make_demo_speech [--check]

With `--check` it needs neither and writes nothing: it reads the files that are there.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

DEMO: Final = Path(__file__).resolve().parent.parent / "app" / "content" / "demo"
ITEMS: Final = DEMO / "items.jsonl"
SPEECH: Final = DEMO / "speech.toml"
AUDIO: Final = DEMO / "audio"
PROGRAMS: Final = ("espeak-ng", "opusenc")
KILOBITS: Final = 20  # a second
MOST_BYTES: Final = 500_000  # of all files together
SECONDS_A_WORD: Final = (0.15, 1.5)  # plausible speech, pauses included

# eSpeak's phonemes for a sound said once and broken off: `@` is a short vowel, `_` a short pause.
FRAGMENTS: Final = {
    "b": "b@_",
    "d": "d@_",
    "f": "f@_",
    "g": "g@_",
    "m": "m@_",
    "n": "n@_",
    "p": "p@_",
    "s": "s_",
    "t": "t@_",
    "w": "w@_",
}
# What eSpeak would stress or read as something else.
RESPELLED: Final = {"re- re-record": "[[r,i:_]] [[r,i:rI2k'o@d]]", "uh-uh": "[['V_?,V]]"}


class SpeechError(Exception):
    """The list, a program or a file is not as it has to be."""


@dataclass(frozen=True)
class Voice:
    """How an episode sounds: a voice of eSpeak with its variant, pitch, words a minute."""

    voice: str
    pitch: int
    speed: int


@dataclass(frozen=True)
class Stream:
    """What the headers of an Ogg Opus file say."""

    channels: int
    seconds: float


def plan() -> dict[str, tuple[str, Voice]]:
    """Return what is said for each item on the list, and in which voice."""
    listed = tomllib.loads(SPEECH.read_text(encoding="utf-8"))
    items: dict[str, Any] = {item["item_id"]: item for item in map(json.loads, ITEMS.read_bytes().splitlines())}
    if unknown := sorted(set(listed["audio"]) - items.keys()):
        raise SpeechError(f"{SPEECH.name}: {', '.join(unknown)}: no such item")
    voices = {cluster: Voice(**voice) for cluster, voice in listed["voices"].items()}
    return {
        name: (items[name]["verbatim_reference"], voices[items[name]["cluster"]]) for name in sorted(listed["audio"])
    }


def spoken(text: str) -> str:
    """Return a verbatim reference as eSpeak is given it.

    >>> spoken("to t-t-ten past nine")
    'to [[t@_]] [[t@_]] ten past nine'
    """
    for written, said in RESPELLED.items():
        text = text.replace(written, said)
    repeated = re.compile(rf"\b([{''.join(FRAGMENTS)}])-(?:\1-)*(?=\1)", re.IGNORECASE)

    def sounds(match: re.Match[str]) -> str:
        return f"[[{FRAGMENTS[match[1].lower()]}]] " * match[0].count("-")

    return repeated.sub(sounds, text)


def speak(text: str, voice: Voice, serial: int) -> bytes:
    """Return the text as an Ogg Opus stream. Raises SpeechError where a program is missing or fails."""
    espeak, opusenc = (_found(program) for program in PROGRAMS)
    said = [espeak, "--stdin", "--stdout", "-b", "1", "-v", voice.voice, "-p", str(voice.pitch), "-s", str(voice.speed)]
    coded = [opusenc, "--quiet", "--speech", "--downmix-mono", "--bitrate", str(KILOBITS), "--serial", str(serial)]
    coded += ["--discard-comments", "--padding", "0", "--ignorelength", "-", "-"]
    return _run(coded, _run(said, spoken(text).encode()))


def _found(program: str) -> str:
    path = shutil.which(program)
    if path is None:
        raise SpeechError(f"{program} is not installed; on Debian: apt-get install espeak-ng opus-tools")
    return path


def _run(line: list[str], given: bytes) -> bytes:
    done = subprocess.run(line, input=given, capture_output=True, check=False)
    if done.returncode:
        raise SpeechError(f"{Path(line[0]).name}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def read(data: bytes) -> Stream:
    """Return what an Ogg Opus stream is (RFC 7845). Raises SpeechError where it is not one, whole and alone."""
    pages = list(_pages(data))
    if [page.first for page in pages] != [True] + [False] * (len(pages) - 1) or not pages[-1].last:
        raise SpeechError("is not one whole stream")
    if [page.number for page in pages] != list(range(len(pages))) or len({page.serial for page in pages}) != 1:
        raise SpeechError("pages are missing or of another stream")
    head, tags = pages[0].body, pages[1].body if len(pages) > 1 else b""
    if head[:8] != b"OpusHead" or not tags.startswith(b"OpusTags"):
        raise SpeechError("has no Opus headers")
    skipped = int.from_bytes(head[10:12], "little")
    return Stream(channels=head[9], seconds=(pages[-1].samples - skipped) / 48_000)


@dataclass(frozen=True)
class _Page:
    first: bool
    last: bool
    samples: int
    serial: int
    number: int
    body: bytes


def _pages(data: bytes) -> Iterator[_Page]:
    """Take an Ogg stream (RFC 3533) apart."""
    at = 0
    while not at or at < len(data):
        head = data[at : at + 27]
        if len(head) < 27 or head[:5] != b"OggS\0":  # noqa: PLR2004 - the size of a page's header
            raise SpeechError(f"has no Ogg page at byte {at}")
        start = at + 27 + head[26]
        end = start + sum(data[at + 27 : start])
        if end > len(data):
            raise SpeechError("is cut off")
        if _checksum(data[at : at + 22] + bytes(4) + data[at + 26 : end]) != int.from_bytes(head[22:26], "little"):
            raise SpeechError(f"is damaged in the page at byte {at}")
        flags, samples, serial, number = (
            int.from_bytes(head[a:b], "little") for a, b in ((5, 6), (6, 14), (14, 18), (18, 22))
        )
        yield _Page(bool(flags & 2), bool(flags & 4), samples, serial, number, data[start:end])
        at = end


def _crc_of(byte: int) -> int:
    value = byte << 24
    for _ in range(8):
        value = value << 1 ^ (0x104C11DB7 if value & 0x80000000 else 0)
    return value


_CRC: Final = tuple(_crc_of(byte) for byte in range(256))


def _checksum(data: bytes) -> int:
    crc = 0
    for byte in data:
        crc = (crc << 8 & 0xFFFFFFFF) ^ _CRC[crc >> 24 ^ byte]
    return crc


def problems() -> list[str]:
    """Say what is wrong with the files that are there: none missing, none beyond the list, all short mono speech."""
    try:
        wanted = plan()
    except SpeechError as error:
        return [str(error)]
    there = {path.name: path for path in AUDIO.iterdir()} if AUDIO.is_dir() else {}
    names = {f"{name}.opus": text for name, (text, _) in wanted.items()}
    found = [f"{name} is missing" for name in sorted(names.keys() - there.keys())]
    found += [f"{name} is not on the list" for name in sorted(there.keys() - names.keys())]
    for name in sorted(names.keys() & there.keys()):
        try:
            stream = read(there[name].read_bytes())
        except SpeechError as error:
            found.append(f"{name} {error}")
            continue
        least, most = (len(names[name].split()) * seconds for seconds in SECONDS_A_WORD)
        if stream.channels != 1 or not least <= stream.seconds <= most:
            found.append(f"{name} has {stream.channels} channels and lasts {stream.seconds:.1f} s")
    size = sum(path.stat().st_size for path in there.values())
    return found + ([f"{size:,} bytes are more than {MOST_BYTES:,}"] if size > MOST_BYTES else [])


def make() -> None:
    """Write all files anew, and remove those that are not on the list."""
    made = {name: speak(text, voice, serial) for serial, (name, (text, voice)) in enumerate(plan().items(), start=1)}
    AUDIO.mkdir(exist_ok=True)
    for path in AUDIO.glob("*.opus"):
        if path.stem not in made:
            path.unlink()
    for name, data in made.items():
        (AUDIO / f"{name}.opus").write_bytes(data)


def main(argv: Sequence[str] | None = None) -> int:
    """Make the files, or check them. Returns the exit code: 1 on any problem."""
    parser = argparse.ArgumentParser(description="Make the speech of the demo's items.")
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 where a file is not as it should be"
    )
    check: bool = parser.parse_args(argv).check
    try:
        if not check:
            make()
    except SpeechError as error:
        print(f"make_demo_speech: {error}", file=sys.stderr)
        return 1
    for problem in problems():
        print(f"make_demo_speech: {problem}", file=sys.stderr)
    if problems():
        return 1
    sizes = [path.stat().st_size for path in AUDIO.iterdir()]
    print(f"{AUDIO.name}: {len(sizes)} files, {sum(sizes):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
