#!/usr/bin/env python3
"""How large the source tree is and what a build of it costs, against limits; ends with 1 beyond one.

    tests/bench/size.py [BUILD/.ninja_log]

Folders directly in src/, source files, arrows (pairs of modules of which the first includes headers of the second), the longest
function, and from the log of a fresh build the sum over its commands. Ninja writes down wall seconds: they are CPU seconds where the
machine was quiet, no more commands ran at once than it has cores, and ccache was off (CCACHE_DISABLE=1).
"""
import pathlib, re, sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMITS = {'folders in src': 18, 'source files': 800, 'arrows': 150, 'longest function': 60, 'build': 900}
# Above a function that may be longer, with the reason behind it; clang-tidy heeds the same line.
EXCEPTION = re.compile(r'^\s*// NOLINTNEXTLINE\(readability-function-size\): \S')


def sources():
    return sorted(p for p in (ROOT / 'src').rglob('*') if p.suffix in ('.h', '.cc'))


def modules():
    """The modules of src/layers.txt, the deepest first."""
    rows = (line.split('#')[0] for line in (ROOT / 'src/layers.txt').read_text().splitlines())
    return sorted((row.split(':')[0].strip() for row in rows if ':' in row), key=len, reverse=True)


def arrows(paths):
    names = modules()

    def module_of(path):
        return next((name for name in names if path.startswith(name + '/')), None)

    found = set()
    for path in paths:
        own = module_of(str(path.relative_to(ROOT / 'src')))
        for included in re.findall(r'^#include "(.*)"', path.read_text(), re.M):
            other = module_of(included)
            if own and other and own != other:
                found.add((own, other))
    return found


SKIPPED = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*',
                     re.S | re.M)


def functions(text):
    """(lines, line where it begins) of every function body; a lambda counts to the function around it."""
    text = SKIPPED.sub(lambda match: '\n' * match[0].count('\n'), text)
    stack, head, line, parentheses = [], '', 1, 0  # stack: (a function's body?, line)
    inside = 0  # of how many bodies and initializers
    for at, char in enumerate(text):
        line += char == '\n'
        if inside:
            if char == '{':
                inside += 1
            elif char == '}':
                inside -= 1
                if inside == 0:
                    is_function, start = stack.pop()
                    if is_function:
                        yield line - start, start
                    head = '' if is_function else head
            continue
        parentheses += (char == '(') - (char == ')')
        if char == '{':
            words = ' '.join(head.split())
            scope = re.match(r'(inline )?namespace\b|(template ?<.*> ?)?(class|struct|union|enum)\b|extern\b', words)
            if scope and not parentheses and not words.endswith('='):
                stack.append((False, line))
                head = ''
            else:
                body = not parentheses and ')' in words and text[at - 1].isspace() and not words.endswith('=')
                stack.append((body, line))
                inside = 1
        elif char == '}':
            if stack:
                stack.pop()
            head = ''
        elif char == ';' and not parentheses:
            head = ''
        else:
            head += char


def longest(paths):
    found, exceptions = [], 0
    for path in paths:
        text = path.read_text()
        lines = text.splitlines()
        for length, line in functions(text):
            if length > LIMITS['longest function'] and any(EXCEPTION.match(above) for above in lines[max(0, line - 4):line - 1]):
                exceptions += 1
            else:
                found.append((length, f'{path.relative_to(ROOT)}:{line}'))
    return sorted(found, reverse=True), exceptions


def build_seconds(log):
    """A command with several outputs stands there once an output; one that ran again, again: the last counts."""
    last = {}
    for row in pathlib.Path(log).read_text().splitlines():
        if not row.startswith('#'):
            start, end, _, output, command = row.split('\t')
            last[output] = (int(start), int(end), command)
    return sum(end - start for start, end, _ in set(last.values())) / 1000


def main():
    if len(sys.argv) > 2 or sys.argv[1:] in (['-h'], ['--help']):
        sys.exit(__doc__)
    paths = sources()
    long, exceptions = longest(paths)
    figures = {
        'folders in src': (sum(p.is_dir() for p in (ROOT / 'src').iterdir()), ''),
        'source files': (len(paths), ''),
        'arrows': (len(arrows(paths)), ''),
        'longest function': (long[0][0], f'lines ({long[0][1]}; {exceptions} exceptions)'),
    }
    if len(sys.argv) == 2:
        figures['build'] = (round(build_seconds(sys.argv[1])), 's CPU')
    beyond = False
    for name, (value, unit) in figures.items():
        too_much = value > LIMITS[name]
        beyond = beyond or too_much
        print(f'{name:18}{value:6} of {LIMITS[name]:4} {unit}{"   BEYOND THE LIMIT" if too_much else ""}')
    for lines, place in long[1:]:
        if lines > LIMITS['longest function']:
            print(f'  also beyond: {lines} lines ({place})')
    sys.exit(beyond)


if __name__ == '__main__':
    main()
