#!/usr/bin/env python3
"""An editor is told what `epwise lint` says of the same file: rules, severities, places and words.

    tests/editor/same.py BIN [FOLDER...]

Without folders it takes a repository of its own: recipes of examples/ and small ones beside an `.epwise.yaml` with targets, selection,
severities and a baseline, comments that accept findings, and a launch script. With them, every YAML file and script below them.
"""
import json, pathlib, shutil, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'tests' / 'bench'))
from editor import CLOSING, framed, reply  # noqa: E402

SEVERITIES = ['', 'error', 'warning', 'note']
SMALL = 'model:\n  num_layers: 4\n  num_moe_experts: 8\n{}train:\n  global_batch_size: 10\n  micro_batch_size: 3\n'
CONFIGURATION = '''stack: bridge=0.6.2,te=2.14.0,torch=2.9.1
targets:
  - {paths: [/*.yaml], gpus: 8}
  - {paths: [gb200/], hw: gb200, gpus: 64}
  - {paths: [h100/], hw: h100, gpus: 16}
ignore: [dispatch/untuned-sms]
severity: {batch/: warning, suppression/: note, PAR017: note}
baseline: known.yaml
'''


class Server:
    """One `epwise lsp` for many files, which the client pulls diagnostics from."""

    def __init__(self, binary, folder):
        self.process = subprocess.Popen([binary, 'lsp'], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.asked = 0
        self.ask('initialize', {'capabilities': {'textDocument': {'diagnostic': {}}, 'general': {'positionEncodings': ['utf-32']}},
                                'rootUri': folder.as_uri()})
        self.say('initialized', {})

    def say(self, method, params):
        self.process.stdin.write(framed({'method': method, 'params': params}))
        self.process.stdin.flush()

    def ask(self, method, params):
        self.asked += 1
        self.process.stdin.write(framed({'id': self.asked, 'method': method, 'params': params}))
        self.process.stdin.flush()
        while True:
            answer = reply(self.process.stdout)
            if answer.get('id') == self.asked and 'method' not in answer:
                return answer['result']

    def diagnostics(self, path):
        uri = path.as_uri()
        self.say('textDocument/didOpen', {'textDocument': {
            'uri': uri, 'languageId': 'yaml', 'version': 1, 'text': path.read_bytes().decode()}})
        items = self.ask('textDocument/diagnostic', {'textDocument': {'uri': uri}})['items']
        self.say('textDocument/didClose', {'textDocument': {'uri': uri}})
        return items

    def end(self):
        self.process.stdin.write(CLOSING)
        self.process.stdin.close()
        self.process.stdout.read()
        assert self.process.wait(60) == 0


def linted(binary, folder, path):
    """What lint says; places only where they are in the file itself."""
    done = subprocess.run([binary, 'lint', str(path), '--format', 'json'], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1, 3, 4), done.stderr
    found = []
    for file in json.loads(done.stdout)['files']:
        for finding in file['findings']:
            if finding.get('consequence'):
                continue
            here = finding['line'] > 0 and pathlib.Path(folder, finding['path']).resolve() == path.resolve()
            where = tuple(finding[name] for name in ('line', 'column', 'end_line', 'end_column')) if here else None
            found.append((finding['rule'], finding['severity'], finding['message'], where))
    return found


def told(items):
    return [(item['code'], SEVERITIES[item['severity']], item['message'],
             tuple(item['range'][end][part] + 1 for end in ('start', 'end') for part in ('line', 'character'))) for item in items]


def differences(of_lint, of_editor):
    """Findings of one alone. A finding without a place in the file stands at some line of it in an editor."""
    left = sorted(of_editor)
    missing = []
    for rule, severity, message, where in sorted(of_lint, key=lambda f: (f[3] is None, f)):
        match = next((each for each in left if each[:3] == (rule, severity, message) and (where is None or each[3] == where)), None)
        if match is None:
            missing.append((rule, severity, message, where))
        else:
            left.remove(match)
    return missing, left


def repository(binary, folder):
    """Files that between them meet everything that decides about a finding besides the recipe."""
    for name in ('gb200', 'h100'):
        (folder / name).mkdir()
        shutil.copy(ROOT / 'examples' / 'first_look.yaml', folder / name)
        shutil.copy(ROOT / 'examples' / 'qwen3_moe_h100.yaml', folder / name)
    (folder / 'plain.yaml').write_text(SMALL.format(''))
    (folder / 'accepted.yaml').write_text('# epwise: ignore-file[PAR019]: a test of the loader\n' + SMALL.format(''))
    (folder / 'needless.yaml').write_text(SMALL.format('  # epwise: ignore[PAR001]: nothing is wrong there\n'))
    (folder / 'unreasoned.yaml').write_text(SMALL.format('  # epwise: ignore[PAR001]\n'))
    (folder / 'lapsed.yaml').write_text('# epwise: ignore-file[PAR019] until 2020-01-01: old\n' + SMALL.format(''))
    (folder / 'headed.yaml').write_text('# epwise: --gpus 5\n' + SMALL.format('  tensor_model_parallel_size: 4\n'))
    (folder / 'two.yaml').write_text(SMALL.format('') + '---\n' + SMALL.format('  moe_ruter_topk: 2\n'))
    (folder / 'emoji.yaml').write_text(SMALL.format('  "moe_ruter_topk": {a: "😀 ü", b: [2}\n').replace('size: 3', 'size: 3  # 😀'))
    (folder / 'torn.yaml').write_text(SMALL.format('  moe_router_topk: [2\n'))
    (folder / 'services.yaml').write_text('services:\n  web: {image: nginx}\n')
    (folder / 'base.yaml').write_text(SMALL.format('  tensor_model_parallel_size: 3\n'))
    (folder / 'laid.yaml').write_text('# epwise: --base base.yaml --gpus 8\ntrain:\n  micro_batch_size: 4\n')
    (folder / 'old.yaml').write_text(SMALL.format('  moe_router_topk: 9\n'))
    shutil.copy(ROOT / 'examples' / 'ci' / 'train.sbatch', folder / 'good.sbatch')
    text = (folder / 'good.sbatch').read_text()
    (folder / 'train.sbatch').write_text(text.replace('--tensor-model-parallel-size 2', '--tensor-model-parallel-size 3'))
    (folder / 'sourced.sh').write_text(text.replace('MODEL=(', '. ./model.sh\nUNUSED=('))
    (folder / 'model.sh').write_text('MODEL=(--num-layers 24 --hidden-size 2048 --num-attention-heads 15 --num-experts 60)\n')
    (folder / '.epwise.yaml').write_text(CONFIGURATION.replace('baseline: known.yaml\n', ''))
    done = subprocess.run([binary, 'baseline', 'write', 'known.yaml', 'old.yaml', '--reason', 'there before the gate'],
                          cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (folder / '.epwise.yaml').write_text(CONFIGURATION)
    (folder / '.git').mkdir()


def compare(binary, folder, files):
    server = Server(binary, folder)
    failed, findings = [], 0
    for path in files:
        of_lint = linted(binary, folder, path)
        of_editor = told(server.diagnostics(path))
        if not of_editor and {each[0] for each in of_lint} == {'recipe/unrecognized'}:
            continue  # an editor says nothing about a file that is no recipe
        missing, more = differences(of_lint, of_editor)
        findings += len(of_lint)
        if missing or more:
            failed.append(path)
            print(f'FAIL  {path}')
            for each in missing:
                print(f'      only lint:   {each}')
            for each in more:
                print(f'      only editor: {each}')
    server.end()
    print(f'{len(files)} files, {findings} findings, {len(failed)} of them told differently')
    return not failed and findings > 0


def main(binary, folders):
    if folders:
        files = sorted(path for name in folders for path in pathlib.Path(name).resolve().rglob('*')
                       if path.suffix in ('.yaml', '.yml', '.sh', '.sbatch', '.slurm'))
        return 0 if compare(binary, pathlib.Path.cwd(), files) else 1
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        repository(binary, folder)
        files = sorted(path for path in folder.rglob('*') if path.is_file() and path.name not in ('.epwise.yaml', 'known.yaml'))
        good = compare(binary, folder, files)
        server = Server(binary, folder)
        seen = {path.name: {item['code'] for item in server.diagnostics(path)} for path in files}
        server.end()
        expected = {'plain.yaml': 'batch/', 'needless.yaml': 'suppression/unused', 'unreasoned.yaml': 'suppression/malformed',
                    'lapsed.yaml': 'suppression/lapsed', 'train.sbatch': 'shape/', 'old.yaml': '', 'accepted.yaml': ''}
        for file, begin in expected.items():
            right = any(code.startswith(begin) for code in seen[file]) if begin else not any(c.startswith('batch/') for c in seen[file])
            print(f'{"ok  " if right else "FAIL"}  {file}: {", ".join(sorted(seen[file])) or "nothing"}')
            good = good and right
        return 0 if good else 1


if __name__ == '__main__':
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2:]))
