"""`epwise explore` as a process, and requests to it."""

import http.client
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from processes import interrupt  # noqa: E402

PATIENCE = 60  # s


class Page:
    """The server of one recipe."""

    def __init__(self, binary, *arguments, cwd=None):
        self.process = subprocess.Popen([binary, "explore", *arguments], cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, env={**os.environ, "EPWISE_TODAY": "2026-11-26"})
        self.address = self.process.stdout.readline().strip()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]{32})", self.address)
        if not found:
            self.process.kill()
            raise SystemExit(f"FAIL: no address but {self.address!r}: {self.process.stderr.read()}")
        self.port, self.token = int(found[1]), found[2]

    def request(self, method, path, body=None, headers=None):
        """(status, headers, text)"""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        given = {"X-Epwise-Token": self.token, "Content-Type": "application/json", **(headers or {})}
        connection.request(method, path, body, {name: value for name, value in given.items() if value is not None})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, answer.headers, text

    def ask(self, path, body):
        status, headers, text = self.request("POST", path, json.dumps(body))
        if status != 200:
            raise SystemExit(f"FAIL: {path}: {status} {text}")
        return json.loads(text), float(headers["Server-Timing"].split("dur=")[1])

    def cpu(self):
        """What the server has used, in ms."""
        with open(f"/proc/{self.process.pid}/stat", encoding="utf-8") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        """The exit code after Ctrl-C."""
        return interrupt(self.process, PATIENCE)
