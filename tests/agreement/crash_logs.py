#!/usr/bin/env python3
"""Guards `epwise explain --from-log`: the messages of the real validators' rejections, each as the end of a traceback.

    tests/agreement/crash_logs.py BIN [--all] [--bare] [--recipes N]
        --all         every message, not every fourth (a share of those: support/sampling.py)
        --bare        only the line of the error, without a traceback
        --recipes N   N of them, evenly spread, with the recipe and target that were rejected; asks whether the recipe helps

Printed per version: rejections whose check is known, the share of which the first rule named is the right one, the share of which
nothing is named, and the share of which another one is named with "this is" instead of "perhaps".
Exit status: 0 the floors are met, 1 one is not, 77 no verdict vectors (tests/README.md).
"""
import collections, json, pathlib, re, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'support'))
from evidence import EVIDENCE, skip  # noqa: E402
from sampling import share  # noqa: E402
import scoring as tool  # noqa: E402
import yaml  # noqa: E402

VECTORS = EVIDENCE / 'vectors'
LEAST_RIGHT, MOST_SURELY_WRONG = 0.95, 0.002


def codes():
    """Every code and alias → the code of its rule."""
    known = {}
    for file in (ROOT / 'rules').glob('*/*.yaml'):
        text = file.read_text('utf-8')
        code = re.search(r'^code: (\w+)', text, re.M)
        aliases = re.search(r'^aliases: \[(.*)\]', text, re.M)
        for name in ([code[1]] + re.findall(r'\w+', aliases[1] if aliases else '')) if code else []:
            known[name] = code[1]
    return known


def log_of(expect, bare):
    message = expect.get('message') or ''
    if expect['at'] == 'argparse':
        return f'usage: pretrain_gpt.py [-h]\npretrain_gpt.py: error: {message}\n'
    error = expect['exception'] + (f': {message}' if message else '') + '\n'
    if bare:
        return error
    file, *_, function, line = expect['at'].split(':') if expect['at'].count(':') > 1 else (expect['at'], 'f', '1')
    return ('Traceback (most recent call last):\n  File "/opt/run/pretrain_gpt.py", line 30, in <module>\n'
            f'  File "/opt/run/{file}", line {line}, in {function.split(".")[-1]}\n{error}')


def named(binary, log, more=()):
    """(code of the first rule or None, whether it is said to be sure)"""
    run = subprocess.run([binary, 'explain', '--from-log', '-', '--format', 'json', *more], input=log, capture_output=True, text=True)
    suspects = [s for crash in json.loads(run.stdout)['crashes'][:1] for s in crash['suspects']]
    return (suspects[0]['code'], suspects[0]['sure']) if suspects else (None, False)


def with_recipes(binary, files, bare, known, count):
    """The same question with the recipe that was rejected, for `count` rejections spread evenly over all files."""
    cases = []
    for file in files:
        for line in file.read_text('utf-8').splitlines():
            vector = json.loads(line)
            rules = {known.get(rule, rule) for rule in vector['expect'].get('rule') or []}
            if vector['expect']['verdict'] == 'rejects' and rules and vector['expect']['at'] != 'argparse':
                cases.append((vector, rules))
    cases = cases[::max(1, len(cases) // count)]
    tally = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for vector, rules in cases:
            text = (tool.CORPUS / vector['base']).read_text('utf-8')
            mlm = vector['framework'] == 'mlm'
            recipe = pathlib.Path(folder, 'recipe.yaml')
            recipe.write_text(tool.edit_flags(text, vector) if mlm else tool.edit_tree(yaml.load(text, tool.Loader), vector), 'utf-8')
            framework, stack, hw, world, env = tool.target(vector)
            words = ['--framework', framework, '--stack', stack, '--hw', hw, '--gpus', str(world)]
            for name, value in env:
                words += ['--env', name if value is None else f'{name}={value}']
            log = log_of(vector['expect'], bare)
            alone, _ = named(binary, log)
            helped, sure = named(binary, log, [str(recipe), *words])
            tally['alone'] += alone in rules
            tally['with'] += helped in rules
            tally['lost'] += alone in rules and helped not in rules
            tally['surely wrong'] += sure and helped not in rules
            if alone in rules and helped not in rules:
                print(f"lost: {vector['id']}: {sorted(rules)}, with the recipe {helped}")
    print(f"{len(cases)} rejections: right alone {tally['alone'] / len(cases):.4f}, with the recipe {tally['with'] / len(cases):.4f}; "
          f"lost by it {tally['lost']}, surely wrong {tally['surely wrong']}")
    return 0 if tally['lost'] == 0 else 1


def main():
    files = sorted(VECTORS.glob('bridge-[0-9h]*.jsonl')) + sorted(VECTORS.glob('mlm-[0-9h]*.jsonl'))
    if not files:
        skip('vectors')
    bare, known, wanted = '--bare' in sys.argv, codes(), collections.defaultdict(list)
    if '--recipes' in sys.argv:
        return with_recipes(sys.argv[1], files, bare, known, int(sys.argv[sys.argv.index('--recipes') + 1]))
    for file in files:
        for line in file.read_text('utf-8').splitlines():
            expect = json.loads(line)['expect']
            if expect['verdict'] == 'rejects' and (rules := {known.get(rule, rule) for rule in expect.get('rule') or []}):
                wanted[log_of(expect, bare)].append((file.stem, rules))
    if '--all' not in sys.argv:
        wanted = {log: wanted[log] for log in list(wanted)[:: 4 * share(6)]}
    with ThreadPoolExecutor(2) as pool:
        answers = dict(zip(wanted, pool.map(lambda log: named(sys.argv[1], log), wanted)))
    count = collections.Counter()
    for log, cases in wanted.items():
        code, sure = answers[log]
        for version, rules in cases:
            verdict = 'none' if code is None else 'right' if code in rules else 'surely wrong' if sure else 'wrong'
            for name in (version, 'all'):
                count[name, verdict] += 1
                count[name, 'n'] += 1
    for name in [file.stem for file in files] + ['all']:
        part = {verdict: count[name, verdict] / count[name, 'n'] for verdict in ('right', 'none', 'wrong', 'surely wrong')}
        print(f"{name}: {count[name, 'n']} rejections; " + '; '.join(f'{verdict} {value:.4f}' for verdict, value in part.items()))
    return 0 if part['right'] >= LEAST_RIGHT and part['surely wrong'] <= MOST_SURELY_WRONG else 1


if __name__ == '__main__':
    sys.exit(main())
