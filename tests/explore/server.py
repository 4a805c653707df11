#!/usr/bin/env python3
"""The server of `epwise explore` over sockets: who is let in, what is malformed, how it ends, how fast it answers.

    tests/explore/server.py BIN
"""
import json
import os
import pathlib
import random
import socket
import statistics
import subprocess
import sys
import time

from serving import Page

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
import evidence  # noqa: E402
RECIPE = "examples/seeds/q30-ep16-off.yaml"
TARGET = ("--hw", "h100", "--gpus", "16")
NAMED = "qwen3_30b_a3b_pretrain_16gpu_h100_bf16_config"
ANSWERS = 10
LONGEST = 100  # ms, of an answer to a change; several times that under sanitizers
failures = []


def expect(what, holds, more=""):
    if not holds:
        failures.append(f"{what} {more}")


def sent(port, data):
    """What comes back for these bytes; the connection ends with them."""
    with socket.create_connection(("127.0.0.1", port), 60) as connection:
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            answer = b""
            while chunk := connection.recv(65536):
                answer += chunk
        except ConnectionError:  # closed while we were still sending
            return b""
        return answer


def check_entrance(page):
    body = json.dumps({"text": "model: {}\n"})
    expect("with the token:", page.request("POST", "/api/look", body)[0] == 200)
    expect("without it:", page.request("POST", "/api/look", body, {"X-Epwise-Token": None})[0] == 403)
    expect("a wrong one:", page.request("POST", "/api/look", body, {"X-Epwise-Token": "0" * 32})[0] == 403)
    expect("the page without:", page.request("GET", "/", None, {"X-Epwise-Token": None})[0] == 403)
    status, headers, text = page.request("GET", f"/?token={page.token}", None, {"X-Epwise-Token": None})
    expect("the page with:", status == 200 and text.startswith("<!doctype html>"), status)
    expect("its policy:", headers["Content-Security-Policy"].startswith("default-src 'none'"))
    expect("no address in it:", "https://" not in text and "http://" not in text)
    expect("another name (DNS rebinding):", page.request("POST", "/api/look", body, {"Host": f"evil.example:{page.port}"})[0] == 403)
    expect("another origin:", page.request("POST", "/api/look", body, {"Origin": "http://evil.example"})[0] == 403)
    own = {"Host": "localhost:9000", "Origin": "http://localhost:9000"}
    expect("a tunnel from another port:", page.request("POST", "/api/look", body, own)[0] == 200)
    expect("a form of another page:", page.request("POST", "/api/look", body, {"Content-Type": "text/plain"})[0] == 415)


def check_limits(page):
    head = f"POST /api/look HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Epwise-Token: {page.token}\r\nContent-Type: application/json\r\n".encode()
    expect("too large:", sent(page.port, head + b"Content-Length: 9000000\r\n\r\n").startswith(b"HTTP/1.1 413"))
    expect("too long a head:", sent(page.port, b"GET / HTTP/1.1\r\nA: " + b"a" * 20000).startswith(b"HTTP/1.1 431"))
    expect("chunks:", sent(page.port, head + b"Transfer-Encoding: chunked\r\n\r\n").startswith(b"HTTP/1.1 501"))
    deep = b'{"text":' + b"[" * 1_000_000
    expect("deep:", b" 400 " in sent(page.port, head + f"Content-Length: {len(deep)}\r\n\r\n".encode() + deep))
    two = head + b"Content-Length: 11\r\n\r\n{\"text\":\"\"}"
    expect("two requests at once:", sent(page.port, two + two).count(b"HTTP/1.1 200") == 2)
    rng = random.Random(1)
    for _ in range(200):
        data = bytearray(two)
        for _ in range(rng.randint(1, 8)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        sent(page.port, bytes(data[:rng.randint(1, len(data))]))
    idle = [socket.create_connection(("127.0.0.1", page.port), 60) for _ in range(20)]  # say nothing
    expect("beside idle connections:", page.ask("/api/start", {})[0]["path"] == RECIPE)
    for each in idle:
        each.close()
    expect("afterwards:", page.ask("/api/start", {})[0]["path"] == RECIPE)


def check_ends(binary, page):
    taken = subprocess.run([binary, "explore", RECIPE, *TARGET, "--port", str(page.port)], cwd=ROOT, capture_output=True, text=True,
                           timeout=60, check=False)
    expect("a port that is taken:", taken.returncode == 3 and "cannot listen on 127.0.0.1" in taken.stderr, taken)
    page.ask("/api/search", {"text": (ROOT / RECIPE).read_text(), "what": "plans"})
    begin = time.monotonic()
    expect("Ctrl-C during a search:", page.end() == 0)
    expect("at once:", time.monotonic() - begin < 30, time.monotonic() - begin)


def check_speed(binary):
    """Every answer to a change of the text, for recipes as Megatron-Bridge dumps them (25 kB) where there are some."""
    texts = dumps()
    shown = subprocess.run([binary, "recipes", "show", NAMED], capture_output=True, text=True, timeout=60, check=False).stdout
    expect("a recipe by name:", len(shown) > 2000, shown)
    texts[NAMED] = shown
    page = Page(binary, RECIPE, *TARGET, cwd=ROOT)
    for name, text in texts.items():
        page.ask("/api/look", {"text": text, "hw": "h100", "gpus": 64})  # the first reads rules and tables
        times, begin = [], page.cpu()
        for number in range(ANSWERS):
            answer, milliseconds = page.ask("/api/look", {"text": f"# {number}\n{text}", "hw": "h100", "gpus": 64})
            expect(f"a prediction of {name}:", "step_time_s" in answer.get("simulate", {"files": [{}]})["files"][0], str(answer)[:300])
            times.append(milliseconds)
        cpu = (page.cpu() - begin) / ANSWERS
        print(f"{name}, {len(text)} bytes: {cpu:.0f} ms of CPU an answer; answered within {statistics.median(times):.0f} ms (median), "
              f"{max(times):.0f} ms (longest)")
        if "EPWISE_SANITIZED" not in os.environ:  # of CPU: other tests run beside this one
            expect(f"{name} within {LONGEST} ms:", cpu <= LONGEST, times)
    page.end()


def dumps():
    """Whole recipes of mixture-of-experts models, by name."""
    folder = evidence.EVIDENCE / "corpus/bridge"
    found = {}
    for path in sorted(folder.rglob("*30b_a3b*.yaml")):
        if 23_000 < path.stat().st_size < 30_000 and len(found) < 3:
            found[path.name] = path.read_text()
    return found


def main(binary):
    page = Page(binary, RECIPE, *TARGET, cwd=ROOT)
    check_entrance(page)
    check_limits(page)
    check_ends(binary, page)
    check_speed(binary)
    for failure in failures:
        print("FAIL:", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(str(pathlib.Path(sys.argv[1]).resolve())))
