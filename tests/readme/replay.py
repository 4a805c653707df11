#!/usr/bin/env python3
"""The commands of the READMEs must print what stands below them.

    tests/readme/replay.py BIN [--update]     --update rewrites the blocks that differ

A line `$ epwise …` in a fenced block of README.md, rules/README.md or src/README.md is a command; lines that end in a backslash go on.
It runs in the project root, without the caller's environment (no terminal: no colour, the width of files), and what it prints on both streams
is the rest of the block, up to the next `$`. `...` or `…` alone on a line stands for any lines. Not run, with a line that says why:
commands of which the shell makes more than one program (pipes, redirections, expansions), and those that read what a checkout has not
(SKIPPED). Exit status: 0 all agree, 1 some do not (each is shown as a diff) or there is nothing to compare.
"""
import difflib, pathlib, re, shlex, subprocess, sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ('README.md', 'rules/README.md', 'src/README.md')
SHELL = re.compile(r'[|<>;&`$*]')
SKIPPED = {'../shared': 'reads ../shared', '--upstream': 'reads a checkout of the framework', 'doctor': 'tells about this machine'}
DOTS = ('...', '…')


def reason_to_skip(command):
    if SHELL.search(re.sub(r"'[^']*'", '', command)):
        return 'needs a shell'
    return next((why for word, why in SKIPPED.items() if any(part == word or '/' in word and word in part for part in shlex.split(command))), None)


def commands(lines):
    """(command, first and past-the-last line of its output) of every command in a fenced block."""
    fenced, number = False, 0
    while number < len(lines):
        fenced ^= lines[number].startswith('```')
        if not (fenced and lines[number].startswith('$ epwise ')):
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


def output(binary, command):
    run = subprocess.run([binary, *shlex.split(command)[1:]], cwd=ROOT, env={'PATH': '/usr/bin:/bin', 'LANG': 'C.UTF-8'}, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
    return [line.rstrip() for line in run.stdout.decode().rstrip('\n').split('\n')]


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


def main():
    update = '--update' in sys.argv[2:]
    binary = pathlib.Path(sys.argv[1]).resolve()
    compared, wrong = 0, 0
    for page in PAGES:
        path = ROOT / page
        lines = path.read_text().split('\n')
        edits = []
        for command, begin, end in commands(lines):
            reason = reason_to_skip(command)
            if reason:
                print(f'{page}:{begin}: not run, {reason}: {command}')
                continue
            compared += 1
            said, printed = lines[begin:end], output(binary, command)
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
    print(f'{compared} commands, {wrong} print something else')
    return 1 if wrong or not compared else 0


if __name__ == '__main__':
    sys.exit(main())
