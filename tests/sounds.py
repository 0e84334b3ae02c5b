"""Recordings for tests: real ones of the demo and of the standard library, and the shortest of each other kind."""

import io
import math
import struct
import wave

from app.config import content

OPUS = {path.name: path.read_bytes() for path in sorted(content("demo/audio").iterdir())}


def wav(seconds=0.2, tone=440, rate=8_000):
    """Return a tone as WAV; another tone gives other bytes."""
    made = io.BytesIO()
    with wave.open(made, "wb") as file:
        file.setparams((1, 2, rate, 0, "NONE", ""))
        steps = range(int(seconds * rate))
        file.writeframes(b"".join(struct.pack("<h", int(9_000 * math.sin(tone * n / rate * math.tau))) for n in steps))
    return made.getvalue()


def wav_coded(code):
    """Return the head of a WAV file that says it is coded in this way, with some data."""
    form = struct.pack("<HHIIHH", code, 1, 8_000, 16_000, 2, 16)
    return b"RIFF\0\0\0\0WAVEfmt " + struct.pack("<I", len(form)) + form + b"data" + struct.pack("<I", 4) + b"abcd"


FLAC = b"fLaC\x80\0\0\x22" + bytes(34) + b"\xff\xf8"
_FRAME = b"\xff\xfb\x90\x00" + bytes(413)  # MPEG 1, layer III, 128 kbit/s, 44.1 kHz
MP3 = _FRAME * 3
MP3_TAGGED = b"ID3\x04\0\0\0\0\0\x0a" + bytes(10) + MP3


def box(name, content):
    return struct.pack(">I", len(content) + 8) + name + content


def track(kind, coded):
    description = box(b"stsd", struct.pack(">II", 0, 1) + box(coded, bytes(28)))
    handler = box(b"hdlr", bytes(8) + kind + bytes(12))
    return box(b"trak", box(b"mdia", handler + box(b"minf", box(b"stbl", description))))


def mp4(*tracks):
    return box(b"ftyp", b"M4A \0\0\0\0") + box(b"moov", b"".join(tracks)) + box(b"mdat", b"sound")


M4A = mp4(track(b"soun", b"mp4a"))


def ebml(kind, *codecs):
    named = b"".join(b"\x86" + bytes([0x80 | len(codec)]) + codec for codec in codecs)
    return b"\x1a\x45\xdf\xa3\x9f\x42\x82" + bytes([0x80 | len(kind)]) + kind + b"\x16\x54\xae\x6b" + named


WEBM = ebml(b"webm", b"A_OPUS")


def ogg(first):
    page = b"OggS\0\x02" + bytes(20) + b"\x01" + bytes([len(first)]) + first
    return page + page


PLAYED = {
    "audio/wav": wav(),
    "audio/flac": FLAC,
    "audio/ogg": OPUS["D-001.opus"],
    "audio/mpeg": MP3,
    "audio/mp4": M4A,
    "audio/webm": WEBM,
}
