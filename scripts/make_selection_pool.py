"""Make a list of invented candidates with SEP-28k's columns, and a draw: `python -m scripts.make_selection_pool`.

The tests compare the draw byte for byte with the files that this writes to tests/fixtures/selection. Where they
differ without `DRAW` in app/domain/draw.py having changed, the program is wrong and not the files.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

from app.actions import selecting

FIXTURES: Final = Path(__file__).parents[1] / "tests" / "fixtures" / "selection"
CANDIDATES: Final = 400
VERSION: Final = "0.0.0"  # of the software, in the stored record
LABELS: Final = ("Prolongation", "Block", "SoundRep", "WordRep", "Interjection", "NoStutteredWords")
UNFIT: Final = ("Unsure", "PoorAudioQuality", "DifficultToUnderstand", "Music", "NoSpeech")
HEADER: Final = (
    "Show,EpId,ClipId,Start,Stop,Unsure,PoorAudioQuality,Prolongation,Block,SoundRep,WordRep,DifficultToUnderstand,"
    "Interjection,NoStutteredWords,NaturalPause,Music,NoSpeech"
)
PROTOCOL: Final = """\
[study]
id = "drawn"

[selection]
strata = { sound_repetition = 40, word_repetition = 40, interjection = 40, fluent = 40, block = 20, prolongation = 20 }
controls = ["fluent"]
extension = ["block", "prolongation"]
precedence = ["block", "sound_repetition"]
cluster_cap = 5
seed = "a seed for the fixture"
"""


def pool(n: int, episodes: int = 40) -> bytes:
    """Return n candidates of invented shows; a hash of their number decides the counts, so that they never change."""
    names, lines = HEADER.split(",")[5:], [HEADER]
    for number in range(n):
        noise = hashlib.sha256(f"candidate {number}".encode()).digest()
        counts = {name: byte % 8 // 7 for name, byte in zip(names, noise, strict=False)}
        if noise[12] < 40:  # noqa: PLR2004 - about every sixth
            counts[UNFIT[noise[12] % 5]] = 2
        for what, howmany in (noise[13:15], noise[15:17]):
            counts[LABELS[what % 6]] = min(howmany % 6, 3)
        episode = number % episodes
        start = 48_000 * number
        cells = [f"Invented{episode % 5}", episode, number // episodes, start, start + 48_000, *counts.values()]
        lines.append(", ".join(str(cell) for cell in cells))
    return ("\n".join(lines) + "\n").encode()


def main() -> None:
    """Write the list, its protocol, and the draw."""
    candidates = pool(CANDIDATES)
    drawn = selecting.draw((candidates, "pool.csv"), (PROTOCOL.encode(), "protocol.toml"), software=VERSION)
    FIXTURES.mkdir(parents=True, exist_ok=True)
    for name, content in {"pool.csv": candidates, "protocol.toml": PROTOCOL.encode(), **drawn.files()}.items():
        (FIXTURES / name).write_bytes(content)
    print(drawn.record["excluded"], drawn.record["strata"], drawn.record["extension"])


if __name__ == "__main__":
    main()
