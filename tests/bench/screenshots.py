"""Pictures of a page as a browser shows it: wide and on a phone, in light and in dark, and as it prints.

    python tests/bench/screenshots.py PAGE FOLDER [--widths 1400 390] [--top PIXELS]

Needs Chromium in the path (or `--browser`); no other package. Says for each picture how wide the content is, which must be no
more than the screen, and how far the layout jumped while it loaded, which must be 0.
"""

import argparse
import base64
import itertools
import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

SHIFT = """new Promise(done => new PerformanceObserver(
    list => done(list.getEntries().reduce((sum, entry) => sum + entry.value, 0))
).observe({type: 'layout-shift', buffered: true}) || setTimeout(() => done(0), 300))"""


class Browser:
    """Chromium without a window, spoken to through its debugging pipe: JSON messages that end in a zero byte."""

    def __init__(self, program: str, profile: str) -> None:
        read_here, write_there = os.pipe()
        read_there, write_here = os.pipe()
        flags = "--headless=new --no-sandbox --disable-gpu --hide-scrollbars --remote-debugging-pipe"
        command = f'exec "$0" {flags} --user-data-dir="$1" 3<&{read_there} 4>&{write_there}'
        self.process = subprocess.Popen(
            ["/bin/sh", "-c", command, program, profile], pass_fds=(read_there, write_there), stderr=subprocess.DEVNULL
        )
        os.close(read_there)
        os.close(write_there)
        self.ask, self.told = os.fdopen(write_here, "wb", buffering=0), os.fdopen(read_here, "rb")
        self.numbers = itertools.count(1)
        self.session: str | None = None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.send("Page.enable")

    def send(self, method: str, **params: Any) -> Any:
        """The result of one command."""
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": params} | ({"sessionId": self.session} if self.session else {})
        self.ask.write(json.dumps(message).encode() + b"\0")
        while (answer := self._next()).get("id") != number:
            pass
        if "error" in answer:
            raise SystemExit(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def wait(self, event: str) -> None:
        """Until the page tells an event."""
        while self._next().get("method") != event:
            pass

    def close(self) -> None:
        """Ends the browser."""
        self.send("Browser.close")
        self.process.wait(10)

    def _next(self) -> dict[str, Any]:
        message = bytearray()
        while (byte := self.told.read(1)) != b"\0":
            if not byte:
                raise SystemExit("the browser ended")
            message += byte
        found: dict[str, Any] = json.loads(message)
        return found


def picture(browser: Browser, page: Path, width: int, scheme: str, *, media: str = "screen", top: int | None = None) -> bytes:
    """The whole page, or its first `top` pixels, as PNG."""
    is_phone = width < 600
    browser.send("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=is_phone)
    scheme_feature = {"name": "prefers-color-scheme", "value": scheme}
    browser.send("Emulation.setEmulatedMedia", media=media, features=[scheme_feature])
    browser.send("Page.navigate", url=page.resolve().as_uri())
    browser.wait("Page.loadEventFired")
    size = browser.send("Page.getLayoutMetrics")["cssContentSize"]
    shift = browser.send("Runtime.evaluate", expression=SHIFT, awaitPromise=True)["result"].get("value")
    print(f"{width} {scheme} {media}: content {size['width']:.0f} x {size['height']:.0f}, layout shift {shift}")
    clip = {"x": 0, "y": 0, "width": width, "height": top or size["height"], "scale": 1}
    shot = browser.send("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
    return base64.b64decode(shot["data"])


def main() -> None:
    """Writes WIDTH-SCHEME.png for each, and print.png."""
    told = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    told.add_argument("page", type=Path)
    told.add_argument("folder", type=Path)
    told.add_argument("--widths", type=int, nargs="+", default=[1400, 390])
    told.add_argument("--top", type=int, help="only so many pixels from the top")
    told.add_argument("--browser", default="chromium")
    given = told.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(given.browser, profile)
        for width, scheme in itertools.product(given.widths, ("light", "dark")):
            shot = picture(browser, given.page, width, scheme, top=given.top)
            (given.folder / f"{width}-{scheme}.png").write_bytes(shot)
        (given.folder / "print.png").write_bytes(picture(browser, given.page, 794, "light", media="print", top=given.top))
        browser.close()


if __name__ == "__main__":
    main()
