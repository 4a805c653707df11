#!/usr/bin/env python3
"""What a keystroke costs in `epwise lsp`, from the change to its diagnostics, by instruction counts and beside `epwise lint`.

    tests/bench/editor.py BIN [--limits]

Needs valgrind. Prints one line a figure; with --limits, exit 1 where one is not met.

keystroke      instructions (callgrind) of one change and the diagnostics after it, from sessions with few and with more of them
ratio          median time of a keystroke in a live session over that of one `epwise lint` of the same text, in one run
"""
import argparse, json, pathlib, statistics, subprocess, sys, tempfile, time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import lint

SETTINGS = {'hw': 'h100', 'gpus': 64, 'stack': 'bridge=0.6.2,te=2.14.0,torch=2.9.1'}
PER_MS = lint.COLD_LIMIT / 10  # instructions, as lint.py counts them
URI = 'file:///bench/recipe.yaml'
SIZES = {'30 kB': (30_000, 30), '1 MB': (1_000_000, 300)}  # bytes, limit [ms]


def framed(message):
    body = json.dumps({'jsonrpc': '2.0', **message}).encode()
    return b'Content-Length: %d\r\n\r\n' % len(body) + body


def opening(text):
    capabilities = {'textDocument': {'diagnostic': {}, 'publishDiagnostics': {'relatedInformation': True}}}
    return framed({'id': 0, 'method': 'initialize', 'params': {'capabilities': capabilities, 'initializationOptions': SETTINGS}}) + \
        framed({'method': 'initialized', 'params': {}}) + \
        framed({'method': 'textDocument/didOpen', 'params': {
            'textDocument': {'uri': URI, 'languageId': 'yaml', 'version': 1, 'text': text}}})


def keystroke(number, line):
    """A blank more at the end of a line, and what the editor asks for then."""
    place = {'line': line, 'character': 10_000}
    return framed({'method': 'textDocument/didChange', 'params': {
        'textDocument': {'uri': URI, 'version': number + 1},
        'contentChanges': [{'range': {'start': place, 'end': place}, 'text': ' '}]}}) + \
        framed({'id': number, 'method': 'textDocument/diagnostic', 'params': {'textDocument': {'uri': URI}}})


CLOSING = framed({'id': 'end', 'method': 'shutdown'}) + framed({'method': 'exit'})


def sized(size):
    text = lint.larger(1)
    row = '  EPWISE_BENCH_MORE_{}: "value {}"   # a comment as recipes have them\n'
    rows = []
    length = len(text)
    while length < size:
        rows.append(row.format(len(rows), len(rows)))
        length += len(rows[-1])
    return text.replace('env_vars:\n', 'env_vars:\n' + ''.join(rows))


def session_instructions(binary, text, keystrokes, line):
    with tempfile.TemporaryDirectory() as folder:
        said = pathlib.Path(folder, 'said')
        said.write_bytes(opening(text) + b''.join(keystroke(n + 1, line) for n in range(keystrokes)) + CLOSING)
        with said.open('rb') as stream:
            return lint.instructions([binary, 'lsp'], stdin=stream)


def reply(stream):
    length = 0
    while (header := stream.readline()) not in (b'\r\n', b''):
        if header.lower().startswith(b'content-length:'):
            length = int(header.split(b':')[1])
    return json.loads(stream.read(length))


def keystroke_seconds(binary, text, count, line):
    with subprocess.Popen([binary, 'lsp'], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        server.stdin.write(opening(text))
        times = []
        for number in range(1, count + 1):
            start = time.perf_counter()
            server.stdin.write(keystroke(number, line))
            server.stdin.flush()
            while (answer := reply(server.stdout)).get('id') != number:
                pass
            times.append(time.perf_counter() - start)
            assert answer['result']['items'], answer
        server.stdin.write(CLOSING)
        server.stdin.flush()
        server.stdin.close()
        server.stdout.read()
    return statistics.median(times[1:])


def lint_seconds(binary, text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, 'recipe.yaml')
        path.write_text(text)
        target = ['--hw', 'h100', '--gpus', '64', '--stack', SETTINGS['stack'], '--format', 'concise', '--config', 'none']
        return statistics.median(lint.wall([binary, 'lint', str(path), *target]) for _ in range(5))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('binary', type=lambda text: str(pathlib.Path(text).resolve()))
    parser.add_argument('--limits', action='store_true')
    args = parser.parse_args()
    missed = []
    for name, (size, limit) in SIZES.items():
        text = sized(size)
        line = text.split('env_vars:\n')[0].count('\n') + 1
        few, more = (2, 6) if size < 100_000 else (1, 2)
        count = (session_instructions(args.binary, text, more, line) - session_instructions(args.binary, text, few, line)) / (more - few)
        met = count <= limit * PER_MS
        print(f'keystroke: {name:<8}{count:>16,.0f} instructions, {count / PER_MS:.1f} ms of a quiet core, '
              f'at most {limit} ms{"" if met else "   NOT MET"}', flush=True)
        if not met:
            missed.append(name)
        seconds, whole = keystroke_seconds(args.binary, text, 8, line), lint_seconds(args.binary, text)
        print(f'ratio:     {name:<8}{seconds * 1e3:>10.1f} ms here and now, {seconds / whole:.2f} of one epwise lint ({whole * 1e3:.1f} ms)',
              flush=True)
    if missed and args.limits:
        print('not met: ' + ', '.join(missed))
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
