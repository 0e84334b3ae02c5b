"""What kind of recording bytes are: only kinds that Chromium and Firefox both play, told by the content alone.

Nothing is decoded. Sources: RFC 2361 and the RIFF specification (WAV), RFC 9639 (FLAC), RFC 3533,
7845 (Ogg, Opus), ISO/IEC 11172-3 (MP3), ISO/IEC 14496-12 (MP4), RFC 8794 and 9559 (EBML, Matroska).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from app.domain.errors import UnfitRecording
from app.domain.recording import MAX_BYTES, Sound

KINDS: Final = "WAV, FLAC, Ogg (Opus, Vorbis), MP3, M4A or WebM"
ADVICE: Final = f"save it as {KINDS}"

WAV_PLAYED: Final = {1, 3, 6, 7}  # PCM, float, A-law, mu-law
WAV_EXTENSIBLE: Final = 0xFFFE
MP4_PLAYED: Final = (b"mp4a", b"Opus", b"fLaC")
MP4_CONTAINERS: Final = {b"moov", b"trak", b"mdia", b"minf", b"stbl"}
OGG_PLAYED: Final = (b"OpusHead", b"\x01vorbis", b"\x7fFLAC")
WEBM_HEAD: Final = 64 << 10  # where the tracks of a WebM file are described
ID3_HEAD: Final = 10
MOST_PARTS: Final = 2_000  # that a container is followed through, tags and all: real ones have some dozens

# Kilobits a second by index, of layer III: MPEG 1, and MPEG 2 and 2.5.
_RATES: Final = {
    True: (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    False: (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
_HERTZ: Final = {3: (44_100, 48_000, 32_000), 2: (22_050, 24_000, 16_000), 0: (11_025, 12_000, 8_000)}
# What is no recording, or none of these kinds, and is worth its name.
_OTHERS: Final = {
    b"PK": "a zip file",
    b"%PDF": "a PDF file",
    b"\x1f\x8b": "a compressed file",
    b"FORM": "an AIFF recording, which browsers do not all play",
    b".snd": "an AU recording, which browsers do not play",
    b"#!AMR": "an AMR recording, which browsers do not play",
    b"caff": "a CAF recording, which browsers do not all play",
    b"0&\xb2u": "a Windows Media file, which browsers do not play",
    b"version https://git-lfs": "a pointer to a file that Git LFS keeps elsewhere: fetch the file itself",
    b"NIST_1A": "a SPHERE recording, which browsers do not play",
}


def probe(data: bytes) -> Sound:
    """Return what is known of a recording. Raises UnfitRecording, which says what is wrong with it.

    >>> probe(b"what somebody typed")
    Traceback (most recent call last):
        ...
    app.domain.errors.UnfitRecording: this is no recording of a known kind: save it as WAV, FLAC, Ogg (Opus, Vorbis), \
MP3, M4A or WebM
    """
    if not data:
        told = "this file is empty"
        raise UnfitRecording(told)
    if len(data) > MAX_BYTES:
        raise UnfitRecording(too_long(len(data)))
    for fits, kind, check in _KINDS:
        if fits(data):
            check(data)
            return Sound.of(data, kind)
    other = next((told for sign, told in _OTHERS.items() if data.startswith(sign)), "no recording of a known kind")
    told = f"this is {other}: {ADVICE}"
    raise UnfitRecording(told)


def too_long(size: int) -> str:
    """Say that a file is too large to be the recording of one utterance."""
    most = f"{MAX_BYTES >> 20} MiB"
    return f"this file has {size:,} bytes, and a recording may have {most}: cut it to the utterance, or code it as Opus"


def _refuse(told: str) -> None:
    raise UnfitRecording(f"{told}: {ADVICE}")


def _wav(data: bytes) -> None:
    chunks = dict(islice(_riff_chunks(data), MOST_PARTS))
    form = chunks.get(b"fmt ", b"")
    coded = int.from_bytes(form[:2], "little")
    if coded == WAV_EXTENSIBLE:
        coded = int.from_bytes(form[24:26], "little")
    if len(form) < 16 or not chunks.get(b"data"):  # noqa: PLR2004 - the shortest description of a WAV's form
        _refuse("this WAV file is cut off or empty")
    if coded not in WAV_PLAYED:
        _refuse("this WAV file is coded in a way that browsers do not all play")


def _riff_chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 12
    while at + 8 <= len(data):
        size = int.from_bytes(data[at + 4 : at + 8], "little")
        yield data[at : at + 4], data[at + 8 : at + 8 + min(size, 64)]
        at += 8 + size + size % 2


def _flac(data: bytes) -> None:
    if data[4] & 0x7F or int.from_bytes(data[5:8], "big") != 34:  # noqa: PLR2004 - the length of STREAMINFO
        _refuse("this FLAC file does not begin as one")


def _ogg(data: bytes) -> None:
    first = data[27 + data[26] :] if len(data) > 27 else b""  # noqa: PLR2004 - the page's head, then its table
    if not first.startswith(OGG_PLAYED):
        _refuse("this Ogg file does not begin with sound that browsers play")
    if data.find(b"OggS", 27) < 0:
        _refuse("this Ogg file is cut off")


def _is_mp3(data: bytes) -> bool:
    return data.startswith(b"ID3") or _frame(data, 0) is not None


def _mp3(data: bytes) -> None:
    at = 0
    for _ in range(MOST_PARTS):
        if not data.startswith(b"ID3", at) or at + ID3_HEAD > len(data):
            break
        size = sum((byte & 0x7F) << shift for byte, shift in zip(data[at + 6 : at + 10], (21, 14, 7, 0), strict=True))
        at += ID3_HEAD + size
    at = len(data) - len(data[at:].lstrip(b"\0"))  # padding after a tag
    length = _frame(data, at)
    if length is None or (at + length < len(data) and _frame(data, at + length) is None):
        _refuse("this is no MP3 file that browsers play, whatever its tag says")


def _frame(data: bytes, at: int) -> int | None:
    """Return the length of the frame of layer III that begins here, or None."""
    head = data[at : at + 4]
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE6 != 0xE2:  # noqa: PLR2004 - the sync word, and layer III
        return None
    version, rate, hertz = head[1] >> 3 & 3, head[2] >> 4, head[2] >> 2 & 3
    if version not in _HERTZ or not 0 < rate < 15 or hertz == 3:  # noqa: PLR2004 - values that mean nothing
        return None
    newest = version == 3  # noqa: PLR2004 - MPEG 1
    return (144 if newest else 72) * 1000 * _RATES[newest][rate] // _HERTZ[version][hertz] + (head[2] >> 1 & 1)


def _mp4(data: bytes) -> None:
    facts = list(_mp4_facts(data, 0, len(data)))
    tracks = {kind for name, kind in facts if name == b"hdlr"}
    coded = {kind for name, kind in facts if name == b"stsd"}
    if b"vide" in tracks:
        _refuse("this MP4 file has a picture: it may show who speaks. Keep the sound alone")
    if not coded & set(MP4_PLAYED):
        _refuse("this MP4 file holds no sound that browsers all play")


def _mp4_facts(data: bytes, start: int, end: int, depth: int = 0) -> Iterator[tuple[bytes, bytes]]:
    """Yield of each track its kind (`hdlr`) and how it is coded (`stsd`)."""
    at = start
    for _ in range(MOST_PARTS):
        if at + 8 > end:
            return
        size, name, head = int.from_bytes(data[at : at + 4], "big"), data[at + 4 : at + 8], 8
        if size == 1:
            size, head = int.from_bytes(data[at + 8 : at + 16], "big"), 16
        size = size or end - at
        if size < head:
            return
        inside, after = at + head, min(at + size, end)
        if name in MP4_CONTAINERS and depth < 6:  # noqa: PLR2004 - moov, trak, mdia, minf, stbl
            yield from _mp4_facts(data, inside, after, depth + 1)
        elif name == b"hdlr":
            yield name, data[inside + 8 : inside + 12]
        elif name == b"stsd":
            yield name, data[inside + 12 : inside + 16]
        at += size


def _webm(data: bytes) -> None:
    head = data[:WEBM_HEAD]
    if b"webm" not in head[:64]:
        _refuse("this is a Matroska file, which browsers do not all play")
    if re.search(rb"\x86[\x81-\xff]V_", head):
        _refuse("this WebM file has a picture: it may show who speaks. Keep the sound alone")
    if not re.search(rb"\x86[\x81-\xff]A_(?:OPUS|VORBIS)", head):
        _refuse("this WebM file holds no sound that browsers play")


# How each kind begins, its media type, and what else it needs.
_KINDS: Final[tuple[tuple[Callable[[bytes], bool], str, Callable[[bytes], None]], ...]] = (
    (lambda data: data.startswith(b"RIFF") and data[8:12] == b"WAVE", "audio/wav", _wav),
    (lambda data: data.startswith(b"fLaC") and len(data) > 8, "audio/flac", _flac),  # noqa: PLR2004 - a block's head
    (lambda data: data.startswith(b"OggS"), "audio/ogg", _ogg),
    (lambda data: data[4:8] == b"ftyp", "audio/mp4", _mp4),
    (lambda data: data.startswith(b"\x1a\x45\xdf\xa3"), "audio/webm", _webm),
    (_is_mp3, "audio/mpeg", _mp3),
)
