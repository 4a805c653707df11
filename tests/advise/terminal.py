#!/usr/bin/env python3
"""`epwise advise` on a real pseudo-terminal: its questions, its progress bar, and Ctrl-C; and that it asks nothing elsewhere.

    terminal.py BIN
"""
import fcntl, os, pathlib, pty, re, select, subprocess, sys, termios, time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'support'))
import cases  # noqa: E402
from cases import BIN, ROOT, check  # noqa: E402
from sampling import share  # noqa: E402

LIMIT = 300  # seconds for any one wait, on a busy machine and under sanitizers
# What is asked and written does not depend on how far the search goes: a small space, where the plans are not looked at.
SMALL = ['--top', '1', '--may-change', 'dispatcher,overlap']


class Terminal:
    """A program whose three streams are a terminal of its own; Ctrl-C typed there reaches it."""

    def __init__(self, args, folder):
        self.master, slave = pty.openpty()
        environment = {k: v for k, v in os.environ.items() if not k.startswith('EPWISE_')}
        environment |= {'TERM': 'xterm', 'NO_COLOR': '1', 'COLUMNS': '120', 'LC_ALL': 'C.UTF-8'}
        self.process = subprocess.Popen([BIN, 'advise', *args], stdin=slave, stdout=slave, stderr=slave, cwd=folder, env=environment,
                                        start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(slave)
        self.text, self.seen = '', 0

    def read(self, seconds):
        ready, _, _ = select.select([self.master], [], [], seconds)
        if not ready:
            return True
        try:
            data = os.read(self.master, 65536)
        except OSError:  # the other end is closed
            return False
        self.text += data.decode('utf-8', 'replace')
        return bool(data)

    def wait_for(self, pattern):
        """Text that comes after what was waited for before."""
        begin = time.time()
        while time.time() - begin < LIMIT:
            found = re.search(pattern, self.text[self.seen:])
            if found:
                self.seen += found.end()
                return True
            if not self.read(0.2):
                break
        check(False, f'{pattern!r} never came; the last words: {self.text[-400:]!r}')
        return False

    def say(self, line):
        os.write(self.master, line.encode() + b'\n')

    def end(self):
        begin = time.time()
        while time.time() - begin < LIMIT and self.read(0.2):
            if self.process.poll() is not None and not select.select([self.master], [], [], 0.1)[0]:
                break
        try:
            return self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            check(False, 'it never ended')
            return None
        finally:
            os.close(self.master)


def lint(path):
    return subprocess.run([BIN, 'lint', str(path), '--stack', 'nemo-26.06', '--fail-on', 'warning', '--format', 'concise'],
                          capture_output=True, text=True)


def answers_everything(folder):
    t = Terminal(['--top', '1'], folder)
    t.wait_for(r'Model \[qwen3-30b-a3b\]: '); t.say('?')
    t.wait_for(r'deepseek-v3[^\n]*671'); t.wait_for(r'Model \[[^]]*\]: '); t.say('qwen3-30b-a3')
    t.wait_for(r'unknown model `qwen3-30b-a3`, did you mean `qwen3-30b-a3b`'); t.wait_for(r'Model \[[^]]*\]: '); t.say('mixtral-8x7b')
    t.wait_for(r'Hardware \[h100\]: '); t.say('back')
    t.wait_for(r'Model \[[^]]*\]: '); t.say('1')
    t.wait_for(r'Hardware \[h100\]: '); t.say('h1000')
    t.wait_for(r'unknown hardware `h1000`'); t.wait_for(r'Hardware \[h100\]: '); t.say('')
    t.wait_for(r'GPUs \[\d+\]: '); t.say('?')
    t.wait_for(r'per node'); t.wait_for(r'GPUs \[\d+\]: '); t.say('many')
    t.wait_for(r'a number from 1'); t.wait_for(r'GPUs \[\d+\]: '); t.say('16')
    t.wait_for(r'Sequence length \[4096\]: '); t.say('')
    t.wait_for(r'Global batch \[256\]: '); t.say('')
    t.wait_for(r'Precision \[bf16\]: '); t.say('')
    t.wait_for(r'Framework \[bridge\]: '); t.say('')
    t.wait_for(r'Stack \[nemo-[0-9.]+\]: '); t.say('nemo-1.0')
    t.wait_for(r'nemo-1\.0'); t.wait_for(r'Stack \[nemo-[0-9.]+\]: '); t.say('nemo-26.06')
    t.wait_for(r'step now'); t.wait_for(r'[Dd]ispatcher'); t.wait_for(r'Write the [^\n]*\[starter\]: '); t.say('starter')
    t.wait_for(r'File \[qwen3-30b-a3b-h100-16\.yaml\]: '); t.say('mine.yaml')
    t.wait_for(r'wrote mine\.yaml')
    check(t.end() == 0, 'a finished interview exits with 0')
    written = folder / 'mine.yaml'
    check(written.is_file(), 'the starter recipe is written')
    if written.is_file():
        found = lint(written)
        check(found.returncode == 0, f'the starter recipe lints clean: {found.stdout}{found.stderr}')


def every_model_starts_clean(folder):
    """What the questions default to gives a recipe that lints clean, in both frameworks."""
    models = [('mixtral-8x7b', 'h100', 'mlm'), ('deepseek-v3', 'gb200', 'bridge'), ('deepseek-v2-lite', 'h100', 'bridge')]
    for name, hw, framework in models[::share(3)]:
        t = Terminal(SMALL, folder)
        t.wait_for(r'Model \[[^]]*\]: '); t.say(name)
        t.wait_for(r'Hardware \[[^]]*\]: '); t.say(hw)
        for question in ('GPUs', 'Sequence length', 'Global batch', 'Precision'):
            t.wait_for(question + r' \[[^]]*\]: '); t.say('')
        t.wait_for(r'Framework \[[^]]*\]: '); t.say(framework)
        t.wait_for(r'Stack \[[^]]*\]: '); t.say('nemo-26.06')
        t.wait_for(r'Write the [^\n]*\[starter\]: '); t.say('')
        t.wait_for(r'File \[[^]]*\]: '); t.say(f'{name}.yaml')
        t.wait_for(r'wrote ')
        check(t.end() == 0, f'{name}: exit 0')
        found = lint(folder / f'{name}.yaml')
        check(found.returncode == 0, f'{name} on {hw} for {framework} lints clean: {found.stdout}{found.stderr}')


def leaves(folder):
    t = Terminal([], folder)
    t.wait_for(r'Model \[[^]]*\]: '); t.say('back')
    t.wait_for(r'first question'); t.wait_for(r'Model \[[^]]*\]: '); t.say('quit')
    check(t.end() == 0, 'quit exits with 0')
    check(not list(folder.iterdir()), 'quit writes nothing')
    t = Terminal([], folder)
    t.wait_for(r'Model \[[^]]*\]: '); os.write(t.master, b'\x04')
    check(t.end() == 0, 'the end of input is quit')
    t = Terminal([], folder)
    t.wait_for(r'Model \[[^]]*\]: '); os.write(t.master, b'\x03')
    check(t.end() in (130, -2), 'Ctrl-C at a question ends at once')


def sizes(folder):
    t = Terminal(['--hw', 'h200', '--gpus', '8', *SMALL], folder)
    t.wait_for(r'Model \[[^]]*\]: '); t.say('sizes')
    for question, answer in [('Layers', '24'), ('Hidden size', '2048'), ('Attention heads', '16'), ('Key and value heads', '4'),
                             ('Head dimension', ''), ('Experts', '64'), ('Active experts', '6'), ('Width of an expert', '1024'),
                             ('Width of the shared expert', ''), ('Vocabulary', ''), ('Hardware', ''), ('GPUs', ''),
                             ('Sequence length', '8192'), ('Global batch', ''), ('Precision', 'fp8'), ('Framework', ''),
                             ('Stack', 'nemo-26.06')]:
        t.wait_for(question + r' \[[^]]*\]: '); t.say(answer)
    t.wait_for(r'step now'); t.wait_for(r'Write the [^\n]*\[starter\]: '); t.say('no')
    t.wait_for(r'nothing written')
    check(t.end() == 0, 'own sizes exit with 0')
    check(not list(folder.iterdir()), '`no` writes nothing')


def asks_nothing_elsewhere(folder):
    for args, stdin in [([], subprocess.DEVNULL), (['--no-input'], subprocess.DEVNULL), (['--hw', 'h100', '--gpus', '8'], subprocess.PIPE)]:
        run = subprocess.run([BIN, 'advise', *args, *SMALL], stdin=stdin if stdin != subprocess.PIPE else None,
                             input='1\n' if stdin == subprocess.PIPE else None, capture_output=True, text=True, cwd=folder)
        check(run.returncode == 2, f'without a terminal {args} is a usage error, not {run.returncode}')
        check(run.stdout == '' and '--hw' in run.stderr and 'Model [' not in run.stderr, f'and says what to give: {run.stderr!r}')
    t = Terminal(['--no-input'], folder)
    check(t.end() == 2, '--no-input on a terminal is a usage error')
    check('Model [' not in t.text, '--no-input asks nothing')


def shows_progress(folder):
    recipe = str(ROOT / 'examples/seeds/q30-ep16-off.yaml')
    args = [recipe, '--hw', 'h100', '--gpus', '16']
    t = Terminal(args, folder)
    t.wait_for(r'searching \[[#.]{20}\] \d+ of up to \d+ combinations, up to \d+ s left')
    t.wait_for(r'\r\x1b\[K'); t.wait_for(r'step now')
    check(t.end() == 0, 'the search ends with 0')
    run = subprocess.run([BIN, 'advise', *args, *SMALL], stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=folder)
    check('searching' not in run.stderr + run.stdout and '\x1b' not in run.stdout, 'elsewhere no bar is drawn')
    t = Terminal(args, folder)
    t.wait_for(r'searching \['); os.write(t.master, b'\x03')
    t.wait_for(r'step now'); t.wait_for(r'cut short')
    check(t.end() == 130, 'Ctrl-C ends the search with the best so far')


cases.run(leaves, asks_nothing_elsewhere, answers_everything, sizes, every_model_starts_clean, shows_progress)
