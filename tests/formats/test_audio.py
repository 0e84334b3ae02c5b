"""What bytes are told apart as recordings, and what is refused with a reason."""

import time

import pytest

from app.domain.errors import UnfitRecording
from app.domain.recording import MAX_BYTES, Sound
from app.formats.audio import probe
from tests.sounds import FLAC, M4A, MP3, MP3_TAGGED, OPUS, PLAYED, WEBM, box, ebml, mp4, ogg, track, wav, wav_coded

SOUND, PICTURE = track(b"soun", b"mp4a"), track(b"vide", b"avc1")


@pytest.mark.parametrize(("kind", "data"), PLAYED.items())
def test_each_kind_that_browsers_play_is_told_by_its_bytes(kind, data):
    assert probe(data) == Sound.of(data, kind)


@pytest.mark.parametrize("name", OPUS)
def test_every_recording_of_the_demo_is_one(name):
    assert probe(OPUS[name]).type == "audio/ogg"


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        *(("audio/wav", wav_coded(code)) for code in (1, 3, 6, 7)),
        *(("audio/ogg", ogg(first)) for first in (b"\x01vorbis" + bytes(23), b"\x7fFLAC" + bytes(9))),
        ("audio/mpeg", MP3_TAGGED),
        ("audio/mpeg", MP3[:417]),
        ("audio/mp4", mp4(track(b"soun", b"Opus"))),
        ("audio/webm", ebml(b"webm", b"A_VORBIS")),
    ],
)
def test_so_is_each_way_of_coding_them(kind, data):
    assert probe(data).type == kind


@pytest.mark.parametrize(
    ("told", "data"),
    [
        ("is empty", b""),
        ("no recording of a known kind", b"what somebody typed"),
        ("no recording of a known kind", b"<html><script>alert(1)</script>"),
        ("no recording of a known kind", bytes(10_000)),
        ("a zip file", b"PK\x03\x04" + bytes(100)),
        ("a PDF file", b"%PDF-1.7"),
        ("AIFF", b"FORM\0\0\0\0AIFF"),
        ("AMR", b"#!AMR\n"),
        ("Git LFS", b"version https://git-lfs.github.com/spec/v1\n"),
        ("no recording of a known kind", b"RIFF\0\0\0\0AVI LIST"),
        ("cut off or empty", b"RIFF\0\0\0\0WAVE"),
        ("cut off or empty", wav()[:44]),
        ("coded in a way", wav_coded(2)),
        ("coded in a way", wav_coded(0x55)),
        ("does not begin as one", b"fLaC\x81\0\0\x22" + bytes(34)),
        ("sound that browsers play", ogg(b"Speex   " + bytes(72))),
        ("sound that browsers play", ogg(b"\x80theora" + bytes(30))),
        ("sound that browsers play", b"OggS"),
        ("is cut off", ogg(b"OpusHead" + bytes(11))[:40]),
        ("no MP3 file", b"ID3\x04\0\0\0\0\0\x0a" + bytes(500)),
        ("no MP3 file", MP3[:417] + b"something else"),
        ("no recording of a known kind", b"\xff\xfd\x90\x00" + bytes(600)),  # layer II
        ("no recording of a known kind", b"\xff\xf1\x50\x80" + bytes(600)),  # AAC without a container
        ("has a picture", mp4(SOUND, PICTURE)),
        ("no sound", mp4(track(b"soun", b"alac"))),
        ("no sound", mp4()),
        ("no sound", M4A[:40]),
        ("no sound", M4A[:4] + b"ftyp" + b"\0\0\0\x01" * 50),
        ("Matroska", ebml(b"matroska", b"A_OPUS")),
        ("has a picture", ebml(b"webm", b"V_VP9", b"A_OPUS")),
        ("no sound", ebml(b"webm", b"S_TEXT")),
        ("cut it to the utterance", FLAC + bytes(MAX_BYTES)),
    ],
)
def test_what_browsers_do_not_play_is_refused_with_a_reason_and_without_its_words(told, data):
    with pytest.raises(UnfitRecording) as refused:
        probe(data)
    assert told in str(refused.value)
    assert "somebody" not in str(refused.value)


@pytest.mark.parametrize("data", PLAYED.values(), ids=PLAYED)
def test_a_recording_cut_off_anywhere_is_taken_or_refused_and_nothing_else(data):
    for size in (*range(min(len(data), 400)), len(data) - 1):
        try:
            assert probe(data[:size]).size == size
        except UnfitRecording as error:
            assert str(error)  # noqa: PT017 - either outcome is right


@pytest.mark.parametrize(
    "data",
    [
        b"RIFF\0\0\0\0WAVE" + b"abcd\0\0\0\0" * 2_000_000,
        b"ID3\x04\0\0\0\0\0\0" * 1_600_000,
        b"ID3\x04\0\0\0\0\0\0" + bytes(MAX_BYTES - 10),
        box(b"ftyp", b"M4A ") + b"\0\0\0\x08free" * 2_000_000,
        box(b"ftyp", b"M4A ") + box(b"moov", box(b"trak", b"\0\0\0\x08mdia" * 100_000) * 20),
        b"\x1a\x45\xdf\xa3" + b"\x86" * (MAX_BYTES - 4),
        b"OggS" + bytes(MAX_BYTES - 4),
    ],
    ids=["chunks", "tags", "padding", "boxes", "nested boxes", "elements", "zeros"],
)
def test_a_container_that_goes_on_for_ever_is_refused_within_two_seconds(data):
    assert len(data) <= MAX_BYTES
    begun = time.process_time()
    with pytest.raises(UnfitRecording):
        probe(data)
    assert time.process_time() - begun < 2


@pytest.mark.parametrize("data", [M4A, WEBM, wav(), OPUS["D-001.opus"]])
def test_bytes_that_were_changed_at_the_beginning_never_break_the_reader(data):
    for at in range(80):
        for byte in (0, 1, 0x7F, 0x80, 0xFF):
            try:
                probe(data[:at] + bytes([byte]) + data[at + 1 :])
            except UnfitRecording:
                continue
