"""A real browser to move things in: chromium, driven through its own debugging protocol."""

from __future__ import annotations

import asyncio
import base64
import json
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any
from urllib.request import urlopen

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--remote-debugging-port=0", "--window-size=1280,1000"]
_PATIENCE = 60.0


class Browser:
    """One page of a browser; `with Browser(folder) as browser`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._number = 0
        self.noise: list[str] = []  # what the page complained of

    def __enter__(self) -> Browser:
        from tornado.websocket import websocket_connect

        command = [str(CHROMIUM), *FLAGS, f"--user-data-dir={self._folder}", "about:blank"]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port = self._until(lambda: (self._folder / "DevToolsActivePort").read_text().splitlines()[0])
        pages = self._until(lambda: [p for p in json.load(urlopen(f"http://127.0.0.1:{port}/json/list")) if p["type"] == "page"])
        self._loop = asyncio.new_event_loop()

        async def connect() -> Any:
            return await websocket_connect(pages[0]["webSocketDebuggerUrl"], max_message_size=2**28)

        self._socket = self._loop.run_until_complete(connect())
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.call("Browser.close")
            self._process.wait(20)
        finally:
            self._process.kill()
            self._process.wait()
            self._loop.run_until_complete(asyncio.sleep(0))
            self._loop.close()

    def _until(self, ask: Any) -> Any:
        end = time.monotonic() + _PATIENCE
        while True:
            try:
                if found := ask():
                    return found
            except (OSError, IndexError):
                pass
            assert time.monotonic() < end, "chromium does not answer"
            time.sleep(0.05)

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Call a method of the protocol; what the page logs meanwhile as an error is kept."""
        self._number += 1
        self._socket.write_message(json.dumps({"id": self._number, "method": method, "params": params}))
        while True:
            text = self._loop.run_until_complete(asyncio.wait_for(self._next(), _PATIENCE))
            message = json.loads(text)
            if message.get("id") == self._number:
                assert "error" not in message, message
                return message["result"]
            if message.get("method") == "Runtime.exceptionThrown":
                self.noise.append(str(message["params"]["exceptionDetails"]))
            elif message.get("method") == "Log.entryAdded" and message["params"]["entry"]["level"] == "error":
                self.noise.append(message["params"]["entry"]["text"])

    async def _next(self) -> str:
        text = await self._socket.read_message()
        assert text is not None, "chromium is gone"
        return text

    def open(self, url: str) -> None:
        self.call("Page.navigate", url=url)

    def value(self, expression: str) -> Any:
        """Evaluate JavaScript on the page."""
        done = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def wait(self, expression: str) -> Any:
        """Wait until an expression is true."""
        return self._until(lambda: self.value(expression))

    def theme(self, name: str) -> None:
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def size(self, width: int, height: int) -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def drag(self, selector: str, start: float, end: float) -> None:
        """Drag the mouse across an element, from one share of its width to another, in a few steps."""
        box = self.value(f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView({{block: 'center'}}); const b = e.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; }})()")
        y = box[1] + box[3] / 2
        places = [box[0] + box[2] * (start + (end - start) * k / 6) for k in range(7)]
        self._mouse("mouseMoved", places[0], y, 0)
        self._mouse("mousePressed", places[0], y, 1)
        for x in places[1:]:
            self._mouse("mouseMoved", x, y, 1)
        self._mouse("mouseReleased", places[-1], y, 0)

    def _mouse(self, kind: str, x: float, y: float, buttons: int) -> None:
        button = "none" if kind == "mouseMoved" and not buttons else "left"
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, buttons=buttons, clickCount=1)

    def picture(self, path: Path) -> None:
        """Keep what is seen."""
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
