"""Chromium without a window, driven by the DevTools protocol over a pair of pipes."""

import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from sampling import sanitized_share  # noqa: E402

PATIENCE = 60 * sanitized_share(5)  # s; a search takes minutes under the sanitizers


class Browser:
    """One tab."""

    def __init__(self):
        self.profile = tempfile.mkdtemp()
        to_child, self.writing = os.pipe()
        self.reading, from_child = os.pipe()

        def connect():  # the browser reads 3 and writes 4
            low, high = os.dup(to_child), os.dup(from_child)
            os.dup2(low, 3)
            os.dup2(high, 4)

        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--remote-debugging-pipe", f"--user-data-dir={self.profile}", "--no-sandbox", "--no-first-run",
             "--disable-gpu", "--disable-dev-shm-usage", "--disable-extensions", "--disable-background-networking", "--disable-sync",
             "--disable-component-update", "--no-default-browser-check", "--hide-scrollbars", "about:blank"],
            pass_fds=(3, 4), preexec_fn=connect, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_child)
        os.close(from_child)
        self.number, self.buffer, self.events, self.session = 0, b"", [], None
        targets = self.call("Target.getTargets")["targetInfos"]
        target = next(each["targetId"] for each in targets if each["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def message(self, deadline):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.reading], [], [], max(0, deadline - time.monotonic()))
            chunk = os.read(self.reading, 1 << 20) if ready else b""
            if not chunk:
                raise SystemExit("FAIL: Chromium does not answer")
            self.buffer += chunk
        line, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(line)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.writing, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + PATIENCE
        while True:
            answer = self.message(deadline)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise SystemExit(f"FAIL: {method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise SystemExit(f"FAIL: {expression[:200]}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def until(self, expression, what):
        """The value of an expression as soon as it is true."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            value = self.evaluate(expression)
            if value:
                return value
            time.sleep(0.05)
        raise SystemExit(f"FAIL: never came: {what}")

    def open(self, address, width=1280, height=900, dark=False, scale=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                                                          {"name": "prefers-reduced-motion", "value": "reduce"}])
        self.call("Page.navigate", url=address)

    def key(self, key, code=0, modifiers=0):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, modifiers=modifiers)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def picture(self, path, whole=True):
        """By its suffix: png, or webp, which is smaller."""
        kind = path.suffix[1:]
        taken = self.call("Page.captureScreenshot", format=kind, captureBeyondViewport=whole, **({"quality": 80} if kind == "webp" else {}))
        path.write_bytes(base64.b64decode(taken["data"]))

    def end(self):
        self.process.terminate()
        self.process.wait(PATIENCE)
        os.close(self.writing)
        os.close(self.reading)
        shutil.rmtree(self.profile, ignore_errors=True)
