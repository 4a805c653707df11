#!/usr/bin/env python3
"""Draws the pictures of the documentation: docs/pictures/lint.svg (what `epwise lint` prints) and architecture.svg
(src/layers.txt) and accuracy.svg (predicted over measured steps, tests/evidence).

    docs/site/pictures.py BIN [--check]     --check only compares; exit status 1 if a picture is out of date
"""
import html, pathlib, re, subprocess, sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PICTURES = ROOT / 'docs/pictures'
COMMAND = ['lint', 'examples/first_look.yaml', '--hw', 'gb200', '--gpus', '64', '--stack', 'bridge=0.6.2', '--select', 'batch/indivisible']
BACKGROUND, TEXT = '#1b1f24', '#d7dce2'
COLOURS = {31: '#ff7b72', 32: '#7ee787', 33: '#f2cc60', 34: '#79c0ff', 35: '#d2a8ff', 36: '#76e3ea', 37: TEXT, 90: '#8b949e'}
EVERYTHING = '*'
NO_BREAK = '\u00a0'  # a plain blank at the head of a line is not drawn


def spans(line):
    """(text, colour, bold, dim) of each stretch of a line with ANSI colours."""
    colour, bold, dim = TEXT, False, False
    for part in re.split(r'(\x1b\[[0-9;]*m)', line):
        if not part.startswith('\x1b'):
            if part:
                yield part, colour, bold, dim
            continue
        for code in (int(word or 0) for word in part[2:-1].split(';')):
            if code == 0:
                colour, bold, dim = TEXT, False, False
            elif code in (1, 2, 22):
                bold, dim = code == 1, code == 2
            elif code == 39 or code % 60 in COLOURS or code in COLOURS:
                colour = TEXT if code == 39 else COLOURS.get(code, COLOURS.get(code % 60))


def screen(binary):
    run = subprocess.run([binary, *COMMAND, '--color', 'always'], cwd=ROOT, env={'PATH': '/usr/bin:/bin', 'LANG': 'C.UTF-8', 'TERM': 'xterm-256color'},
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    words = ' '.join(COMMAND).replace(' --stack', ' \\\n    --stack')
    lines = [f'\x1b[90m$\x1b[0m {line}' if number == 0 else line for number, line in enumerate(f'epwise {words}'.split('\n'))]
    lines += run.stdout.decode().rstrip('\n').split('\n')
    width, height, step = 864, 30 + 18 * len(lines), 18
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">',
           '<title>epwise lint</title>', f'<rect width="{width}" height="{height}" rx="8" fill="{BACKGROUND}"/>',
           '<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,\'DejaVu Sans Mono\',monospace" font-size="13.5">']
    for number, line in enumerate(lines):
        parts = ''
        for text, colour, bold, dim in spans(line):
            style = ' font-weight="bold"' * bold + ' fill-opacity="0.7"' * dim
            shown = html.escape(text).replace(' ', NO_BREAK)
            parts += f'<tspan fill="{colour}"{style}>{shown}</tspan>'
        if parts:
            out.append(f'<text x="16" y="{27 + step * number}">{parts}</text>')
    return '\n'.join([*out, '</g>', '</svg>', ''])


def modules():
    """Each module of src/layers.txt and the modules that it may include."""
    rows = {}
    for line in (ROOT / 'src/layers.txt').read_text().split('\n'):
        name, colon, others = line.partition(':')
        if colon and not line.startswith('#'):
            rows[name] = others.split()
    return {name: others for name, others in rows.items() if others != [EVERYTHING]}, [name for name, others in rows.items() if others == [EVERYTHING]]


def direct(rows):
    """The arrows that do not follow from others."""
    def reached(name):
        found = set()
        for other in rows[name]:
            found |= {other} | reached(other)
        return found
    return {name: [other for other in others if not any(other in reached(third) for third in others if third != other)] for name, others in rows.items()}


def rank_of(rows):
    ranks = {}
    for name in rows:  # a row names rows above it
        ranks[name] = 1 + max((ranks[other] for other in rows[name]), default=-1)
    return ranks


def layered(arrows, ranks):
    """Layers from the bottom, with a bend (module, included, rank) where an arrow crosses a layer; and each arrow's stations."""
    layers = [[name for name in ranks if ranks[name] == rank] for rank in range(max(ranks.values()) + 1)]
    routes = []
    for name, others in arrows.items():
        for other in others:
            bends = [(name, other, rank) for rank in range(ranks[name] - 1, ranks[other], -1)]
            for bend in bends:
                layers[bend[2]].append(bend)
            routes.append([name, *bends, other])
    near = {}
    for route in routes:
        for a, b in zip(route, route[1:]):
            near.setdefault(a, []).append(b)
            near.setdefault(b, []).append(a)
    for _ in range(24):  # each station near the middle of those that it is connected to
        for number, layer in enumerate(layers):
            place = {name: (at + 0.5) / len(other) for other in layers for at, name in enumerate(other)}
            layers[number] = sorted(layer, key=lambda name: sum(place[other] for other in near[name]) / len(near[name]) if name in near else 0.5)
    return layers, routes


def architecture():
    rows, top = modules()
    layers, routes = layered(direct(rows), rank_of(rows))
    width, box, tall, step, narrow = 880, 116, 30, 74, 0.3
    height = step * (len(layers) + 1) + 20
    middle = {}
    for number, layer in enumerate(layers):
        sizes = [narrow if isinstance(name, tuple) else 1 for name in layer]
        for at, name in enumerate(layer):
            middle[name] = (width * (sum(sizes[:at]) + sizes[at] / 2) / sum(sizes), height - 35 - step * number)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">',
           '<title>Modules of src/</title>', f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
           '<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#7a8794"/></marker></defs>',
           '<g stroke="#7a8794" stroke-width="1.2" fill="none">']
    for route in routes:
        x, y = middle[route[0]]
        path = f'M{x:.0f} {y + tall / 2:.0f}'
        y += tall / 2
        for station in route[1:]:
            u, v = middle[station]
            v -= 0 if isinstance(station, tuple) else tall / 2 + 1
            path += f'C{x:.0f} {(y + v) / 2:.0f} {u:.0f} {(y + v) / 2:.0f} {u:.0f} {v:.0f}'
            x, y = u, v
        out.append(f'<path d="{path}" marker-end="url(#a)"/>')
    out.append('</g><g font-family="system-ui,sans-serif" font-size="13" text-anchor="middle">')
    for name in rows:
        x, y = middle[name]
        out.append(f'<rect x="{x - box / 2:.0f}" y="{y - tall / 2:.0f}" width="{box}" height="{tall}" rx="5" fill="#eaf1fb" stroke="#4a74b0"/>'
                   f'<text x="{x:.0f}" y="{y + 4.5:.0f}" fill="#1b2733">{html.escape(name)}</text>')
    out.append(f'<rect x="20" y="20" width="{width - 40}" height="{tall}" rx="5" fill="#f4efe3" stroke="#a08648"/>'
               f'<text x="{width / 2:.0f}" y="{20 + tall / 2 + 4.5:.0f}" fill="#1b2733">{html.escape(", ".join(top))}: may include every module</text>')
    return '\n'.join([*out, '</g>', '</svg>', ''])


def accuracy(binary):
    sys.path.insert(0, str(ROOT / 'tests/evidence'))
    sys.dont_write_bytecode = True
    import score
    return score.picture(score.by_study(score.runs_of(binary)))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    binary, status = pathlib.Path(sys.argv[1]).resolve(), 0
    PICTURES.mkdir(exist_ok=True)
    for name, text in (('lint.svg', screen(binary)), ('architecture.svg', architecture()), ('accuracy.svg', accuracy(binary))):
        path = PICTURES / name
        if '--check' not in sys.argv:
            path.write_text(text)
        elif not path.is_file() or path.read_text() != text:
            status = 1
            print(f'docs/pictures/{name} is out of date: run docs/site/pictures.py BIN')
    return status


if __name__ == '__main__':
    sys.exit(main())
