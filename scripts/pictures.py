"""A picture of a page, in light and in dark, as a small PNG: at most 256 colours, chosen by how often they occur."""

from __future__ import annotations

import base64
import struct
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

MOST: Final = 150_000  # bytes of a picture
COLOURS: Final = 256
APART: Final = 6.0  # colours nearer than this are one; the eye does not tell them apart

# A browser decodes what it encoded: the raw bytes, four a pixel, after width and height.
DECODE: Final = """async data => {
  const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
  const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
  canvas.drawImage(image, 0, 0);
  const pixels = new Blob([canvas.getImageData(0, 0, image.width, image.height).data]);
  const url = await new Promise(done => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result);
    reader.readAsDataURL(pixels);
  });
  return [image.width, image.height, url.slice(url.indexOf(",") + 1)];
}"""


def take(page: Page, where: Path) -> None:
    """Take one picture in light and one in dark. Raises RuntimeError for one that is too large for the docs."""
    browser = page.context.browser
    assert browser is not None  # noqa: S101, a context without a browser is one that this script never makes
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        path = where.with_name(f"{where.name}-{scheme}.png")
        data = small(browser, page.screenshot(animations="disabled", caret="hide"))
        if len(data) > MOST:
            raise RuntimeError(f"{path.name} has {len(data)} bytes, more than {MOST}")
        path.write_bytes(data)
        print(f"{path.name}: {len(data) // 1000} kB")


def small(browser: Browser, png: bytes) -> bytes:
    """Return a PNG of the same picture with a palette."""
    blank = browser.new_page()
    width, height, pixels = blank.evaluate(DECODE, base64.b64encode(png).decode())
    blank.close()
    raw = np.frombuffer(base64.b64decode(pixels), np.uint8).reshape(height * width, 4).astype(np.int64)
    packed, place, count = np.unique(
        raw[:, 0] << 16 | raw[:, 1] << 8 | raw[:, 2], return_inverse=True, return_counts=True
    )
    colours = np.stack([packed >> 16, packed >> 8 & 255, packed & 255], axis=1)
    palette = colours[_kept(colours, count)]
    nearest = np.array([np.square(palette - colour).sum(axis=1).argmin() for colour in colours], np.uint8)
    return _encode(palette.astype(np.uint8), nearest[place].reshape(height, width))


def _kept(colours: np.ndarray, count: np.ndarray) -> list[int]:
    """Return which colours make the palette: the most frequent ones that are not too near to a kept one."""
    kept: list[int] = []
    for each in np.argsort(-count, kind="stable"):
        apart = np.square(colours[kept] - colours[each]).sum(axis=1)
        if not kept or apart.min() > APART**2:
            kept.append(int(each))
        if len(kept) == COLOURS:
            break
    return kept


def _encode(palette: np.ndarray, rows: np.ndarray) -> bytes:
    """Return a PNG (ISO/IEC 15948) of colour type 3, without filters, which help a palette little."""
    height, width = rows.shape
    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    scanlines = np.hstack([np.zeros((height, 1), np.uint8), rows]).tobytes()
    chunks = ((b"IHDR", head), (b"PLTE", palette.tobytes()), (b"IDAT", zlib.compress(scanlines, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
