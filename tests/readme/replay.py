#!/usr/bin/env python3
"""The commands of the READMEs and of docs/ must run, and print what follows them.

    tests/readme/replay.py BIN [--update] [PAGE...]     --update rewrites the blocks that differ

A line `$ command …` in a fenced block is a command; lines that end in a backslash continue. It runs in a copy of examples/ that the
commands of one page share (a git repository, so that they may write), without the caller's environment (no terminal: no colour,
the width of files). Both streams are the rest of the block, up to the next `$`. `...` or `…` alone on a line matches any lines.
Commands other than epwise, and those with pipes, redirections and expansions, run in bash, on pages of docs/ only. Not run, with a
line that gives the reason: those that depend on the machine (SKIPPED).

Every other `epwise …` in the pages, in a block or in backquotes, must name a command and options that exist (unless `…` hides part of
it). Python must compile and use names that the module exports; C++ must compile against the library's header, if there is a compiler.
Exit status: 0 all agree, 1 some do not (each is shown) or there is nothing to compare.
"""
import ast, difflib, functools, os, pathlib, re, shlex, shutil, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ['README.md', 'rules/README.md', 'src/README.md', *sorted(str(path.relative_to(ROOT)) for path in (ROOT / 'docs').rglob('*.md'))]
SHELL = re.compile(r'[|<>;&`$*]')
SKIPPED = {'--upstream': 'reads a checkout of the framework', 'doctor': 'describes this machine'}
DOTS = ('...', '…')
ENVIRONMENT = {'LANG': 'C.UTF-8', 'HOME': '/nonexistent', 'GIT_CONFIG_NOSYSTEM': '1'}


def words_of(command):
    try:
        return shlex.split(command, comments=True)
    except ValueError:
        return command.split()


def reason_to_skip(command, page):
    if not page.startswith('docs/') and (not command.startswith('epwise ') or SHELL.search(re.sub(r"'[^']*'", '', command))):
        return 'needs a shell'
    return next((why for word, why in SKIPPED.items() if word in words_of(command)), None)


def commands(lines):
    """(command, first and past-the-last line of its output) of every command in a fenced block."""
    fenced, number = False, 0
    while number < len(lines):
        fenced ^= lines[number].startswith('```')
        if not (fenced and lines[number].startswith('$ ')):
            number += 1
            continue
        command = lines[number][2:]
        while command.endswith('\\'):
            number += 1
            command = command[:-1] + lines[number].strip()
        begin = number = number + 1
        while not lines[number].startswith(('```', '$ ')):
            number += 1
        end = number
        while end > begin and not lines[end - 1]:
            end -= 1
        yield command, begin, end


class Sandbox:
    """The directory in which the commands of a page run."""

    def __init__(self, binary):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name) / 'work'
        shutil.copytree(ROOT / 'examples', self.root / 'examples')
        programs = pathlib.Path(self.folder.name) / 'bin'
        programs.mkdir()
        (programs / 'epwise').symlink_to(binary)
        self.environment = {**ENVIRONMENT, 'PATH': f'{programs}:/usr/bin:/bin'}
        git = ['git', '-c', 'user.name=replay', '-c', 'user.email=replay@localhost']
        for words in (['init', '-q', '-b', 'main'], ['add', '-A'], ['commit', '-q', '-m', 'examples']):
            subprocess.run([*git, *words], cwd=self.root, env=self.environment, check=True, stdout=subprocess.DEVNULL)

    def output(self, command):
        run = subprocess.run(['/bin/bash', '-c', command], cwd=self.root, env=self.environment, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
        text = run.stdout.decode().rstrip('\n')
        return [line.rstrip() for line in text.split('\n')] if text else []


def stretches(lines):
    """The lines between those that stand for others."""
    parts = [[]]
    for line in lines:
        if line.strip() in DOTS:
            parts.append([])
        else:
            parts[-1].append(line)
    return parts


def position(part, lines, begin):
    return next((at for at in range(begin, len(lines) - len(part) + 1) if lines[at:at + len(part)] == part), None)


def agrees(said, printed):
    first, *others = stretches(said)
    if not others or printed[:len(first)] != first:
        return said == printed
    *middle, last = others
    at = len(first)
    for part in middle:
        found = position(part, printed, at)
        if found is None:
            return False
        at = found + len(part)
    return len(printed) - at >= len(last) and printed[len(printed) - len(last):] == last


def shortened(said, printed):
    """What is printed, with lines left out where they were before. None when such a place is not found again."""
    first, *others = stretches(said)
    if len(others) <= sum(line.strip() in DOTS for line in printed):
        return printed  # the dots are the program's own
    short, at = printed[:len(first)], len(first)
    for number, part in enumerate(others):
        if not part:
            short.append('...')
            continue
        at = position(part[:1], printed, at)
        if at is None:
            return None
        end = len(printed) if number == len(others) - 1 else at + len(part)
        short += ['...', *printed[at:end]]
        at = end
    return short


class Options:
    """The commands and options that the program describes."""

    def __init__(self, binary):
        self.binary = binary
        self.names = set(re.findall(r'^  ([a-z]+)  ', self.help_of('--help'), re.M))

    @functools.cache
    def help_of(self, *words):
        return subprocess.run([self.binary, *words], env={'PATH': '/usr/bin:/bin', **ENVIRONMENT}, stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout

    def problem(self, command):
        """What is wrong with the words of a command that is not run; None if nothing."""
        words = words_of(command.split('…')[0])[1:]
        if '--' in words:
            words = words[:words.index('--')]
        if not words or words[0] in ('|', '>', '&&', '-V', '--version', '--help') or not re.fullmatch('[a-z]+', words[0]) or words[0] == 'help':
            return None
        if words[0] not in self.names:
            return f'no command `{words[0]}`'
        described = self.help_of(words[0], '--help')
        for word in words[1:]:
            option = re.match(r'(--[a-z-]+|-[a-z])(=|$)', word)
            if option and not re.search(r'(^|[ ,\[])' + re.escape(option[1]) + r'\b', described, re.M):
                return f'`epwise {words[0]}` has no option {option[1]}'
        return None


def mentioned(lines):
    """(line, command) of every `epwise …` that is not a command to be replayed."""
    language = None
    for number, line in enumerate(lines, 1):
        if line.startswith('```'):
            language = None if language is not None else line[3:].strip()
            continue
        if language == '' and re.search(r'(^|\s)epwise ', line) and not line.startswith(('$ ', ' ', '#')):
            yield number, line[line.index('epwise '):]
        elif language is None:
            for text in re.findall(r'`(epwise [^`]+)`', line):
                yield number, text


def blocks(lines, wanted):
    language, begin = None, 0
    for number, line in enumerate(lines):
        if line.startswith('```'):
            if language is None:
                language, begin = line[3:].strip(), number + 1
                continue
            if language == wanted:
                yield begin, '\n'.join(lines[begin:number])
            language = None


def problem_of_python(text):
    exported = re.search(r'__all__ = \[(.*?)\]', (ROOT / 'python/epwise/__init__.py').read_text(), re.S)[1]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == 'epwise' and f'"{node.attr}"' not in exported:
            return f'the module has no {node.attr}'
    return None


def problem_of_cpp(text):
    compiler = shutil.which('c++') or shutil.which('clang++')
    if compiler is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        headers = pathlib.Path(folder) / 'epwise'
        headers.mkdir()
        (headers / 'epwise.h').symlink_to(ROOT / 'src/library/epwise.h')
        run = subprocess.run([compiler, '-std=c++17', '-fsyntax-only', '-I', folder, '-x', 'c++', '-'], input=text, capture_output=True, text=True)
        return run.stderr if run.returncode else None


def problems_of_other_code(page, lines, options):
    for number, command in mentioned(lines):
        what = options.problem(command)
        if what:
            yield f'{page}:{number}: {what}: {command}'
    if page.startswith('docs/') or page == 'README.md':
        for language, check in (('python', problem_of_python), ('cpp', problem_of_cpp)):
            for begin, text in blocks(lines, language):
                what = check(text)
                if what:
                    yield f'{page}:{begin}: {what}'


def main():
    update = '--update' in sys.argv[2:]
    # Under the sanitizers only the READMEs: the commands are the same.
    usual = PAGES[:3] if os.environ.get('EPWISE_SANITIZED') else PAGES
    pages = [word for word in sys.argv[2:] if not word.startswith('--')] or usual
    binary = pathlib.Path(sys.argv[1]).resolve()
    options = Options(binary)
    compared, wrong = 0, 0
    for page in pages:
        path = ROOT / page
        lines = path.read_text().split('\n')
        for problem in problems_of_other_code(page, lines, options):
            wrong += 1
            print(problem)
        edits, sandbox = [], None
        for command, begin, end in commands(lines):
            reason = reason_to_skip(command, page)
            if reason:
                print(f'{page}:{begin}: not run, {reason}: {command}')
                continue
            sandbox = sandbox or Sandbox(binary)
            compared += 1
            said, printed = lines[begin:end], sandbox.output(command)
            if agrees(said, printed):
                continue
            new = shortened(said, printed) if update else None
            if new is not None:
                edits.append((begin, end, new))
                print(f'{page}:{begin}: updated: {command}')
                continue
            wrong += 1
            print(f'{page}:{begin}: prints something else{" and has no place for the dots" if update else ""}: {command}')
            print(*difflib.unified_diff(said, printed, page, 'printed', lineterm='', n=1), sep='\n')
        for begin, end, new in reversed(edits):
            lines[begin:end] = new
        if edits:
            path.write_text('\n'.join(lines))
    print(f'{compared} commands, {wrong} problems')
    return 1 if wrong or not compared else 0


if __name__ == '__main__':
    sys.exit(main())
