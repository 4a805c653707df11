#!/usr/bin/env python3
"""Every statement of the five seed documents is asked of the binary: statements_*.yaml, one entry each.
    run.py BIN [WORD]      (WORD: only the entries that contain it, with what was printed where one fails)

says      the statement, in our words
lint      options and overrides for `epwise lint` on `recipe` (default overlap: examples/seeds/q30-ep16-overlap.yaml)
run       or any other command; $overlap, $plain, … stand for the recipes below
made      further recipes for `run`: {a: [plain, {field: value}], b: …}, which $a and $b stand for
code      a rule that must report
expect    regular expressions, all of which must be found in what is printed
absent    one that must not be
contradicts   why the answer differs from the statement; `expect` is then the evidence in the answer
open      what is missing: the entry must fail until then
Prints the coverage; fails if an entry fails, or an open one does not. One entry of nine unless EPWISE_COMPLETE=1.
"""
import concurrent.futures, functools, hashlib, pathlib, re, shlex, subprocess, sys, tempfile

import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'support'))
from sampling import share

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SEEDS = ROOT / 'examples' / 'seeds'
RECIPES = {
    'overlap': SEEDS / 'q30-ep16-overlap.yaml', 'plain': SEEDS / 'q30-ep16-off.yaml', 'wgrad': SEEDS / 'q30-ep16-delayed-wgrad.yaml',
    'small': SEEDS / 'q30-ep4-gbs8-off.yaml', 'small_overlap': SEEDS / 'q30-ep4-gbs8-overlap.yaml',
    'few': SEEDS / 'q30-ep4-gbs64-off.yaml', 'few_overlap': SEEDS / 'q30-ep4-gbs64-overlap.yaml',
    'next': SEEDS / 'next80-ep8-overlap.yaml', 'next_wgrad': SEEDS / 'next80-ep8-delayed-wgrad.yaml',
}
STATEMENTS = 129
MADE = tempfile.TemporaryDirectory()


def made(name, base, changes):
    """A recipe with some fields changed; its name and place stay the same for the same contents."""
    recipe = yaml.safe_load(RECIPES[base].read_text())
    for field, value in changes.items():
        section, _, key = field.partition('.')
        recipe.setdefault(section, {})[key] = value
    text = yaml.safe_dump(recipe, sort_keys=False)
    folder = pathlib.Path(MADE.name) / hashlib.sha256(text.encode()).hexdigest()[:12]
    folder.mkdir(exist_ok=True)
    (folder / f'{name}.yaml').write_text(text)
    return folder / f'{name}.yaml'


def rule_ids():
    found = {}
    for path in sorted((ROOT / 'rules').glob('*/*.yaml')):
        text = path.read_text()
        for code in re.findall(r'^(?:code: |aliases: \[)(.*?)\]?$', text, re.M):
            for each in code.split(', '): found.setdefault(each, f'{path.parent.name}/{path.stem}')
    return found


def command(entry):
    if 'run' in entry:
        words = shlex.split(entry['run'])
    else:
        given = shlex.split(entry.get('lint') or '')
        at = given.index('--') if '--' in given else len(given)
        options, overrides = given[:at], given[at:]
        if '--hw' not in options: options += ['--hw', 'h100', '--gpus', '16']
        words = ['lint', '$' + entry.get('recipe', 'overlap'), *options, '-f', 'concise', *overrides]
    recipes = {**RECIPES, **{name: made(name, *how) for name, how in entry.get('made', {}).items()}}
    words = [str(recipes.get(word[1:], word)) if word.startswith('$') else word for word in words]
    return (words[0], '--config', 'none', *words[1:]) if words[0] in ('lint', 'advise', 'simulate', 'compare') else tuple(words)


@functools.lru_cache(maxsize=None)
def answer(binary, words):
    done = subprocess.run([binary, *words], capture_output=True, text=True, timeout=300, cwd=ROOT)
    return re.sub(r'\s+', ' ', done.stdout + done.stderr), done.stdout + done.stderr


def fault(binary, ids, entry):
    flat, _ = answer(binary, command(entry))
    if 'code' in entry and f"[{ids.get(entry['code'])}]" not in flat: return f"{entry['code']} does not report"
    for pattern in entry.get('expect', []):
        if not re.search(pattern, flat): return f'not found: {pattern}'
    if 'absent' in entry and re.search(entry['absent'], flat): return f"found: {entry['absent']}"
    return None if 'code' in entry or entry.get('expect') or 'absent' in entry else 'the entry expects nothing'


def main():
    binary, word = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ''
    ids = rule_ids()
    entries = [(path.stem, entry) for path in sorted(HERE.glob('statements_*.yaml')) for entry in yaml.safe_load(path.read_text())]
    chosen = [(name, entry) for name, entry in entries if word in str(entry)][:: 1 if word else share(9)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        faults = list(pool.map(lambda each: fault(binary, ids, each[1]), chosen))
    bad = still = contradicted = 0
    for (name, entry), problem in zip(chosen, faults):
        still += 'open' in entry
        contradicted += 'contradicts' in entry and 'open' not in entry
        if ('open' in entry) != (problem is not None):
            bad += 1
            print(f"{name}: {entry['says']}: {problem or 'no longer open'}\n    epwise {shlex.join(command(entry))}")
            if word: print(answer(binary, command(entry))[1])
    for name, entry in chosen:
        if 'open' in entry: print(f"open: {name}: {entry['says']}: {entry['open']}")
    told = len(chosen) - still
    print(f'{told} of {len(chosen)} statements: {told - contradicted} reproduced, {contradicted} contradicted with evidence; {still} open')
    if not word and len(entries) != STATEMENTS: bad += 1; print(f'{len(entries)} entries, but the documents make {STATEMENTS} statements')
    return bad > 0


if __name__ == '__main__': sys.exit(main())
