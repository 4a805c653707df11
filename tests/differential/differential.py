#!/usr/bin/env python3
"""`epwise lint` against the real validators, on launches that nobody wrote down before.

    tests/differential/differential.py BIN --framework mlm --version head [--distribution NAME] [--cases 5000] [--seed 1] [--floor 0.98] [--out DIR]

Random launches are made around recipes that start: one to three changes of a value, a flag, the world size, the device or a
version, half of them at the boundaries that the rules themselves compare with; with --distribution, in the ways that
distributions.py lists. The oracle (tests/oracle/launch) answers each with
the validators' own code; `epwise` must give the same verdict. Disagreements are shrunk (--shrink) to the fewest changes that still
show one and written to DIR/<framework>-<version>.jsonl in the format of the verdict vectors.

Exit status: 0 the floor is met, 1 it is not, 77 the oracle is not set up (the reason is printed).
"""
import argparse, collections, itertools, json, os, pathlib, random, re, subprocess, sys, threading, time
import yaml

import distributions

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'tests/support'))
from evidence import EVIDENCE  # noqa: E402
import scoring  # noqa: E402
sys.dont_write_bytecode = True
LOADER = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)
DEVICES = ['h100', 'h200', 'b200', 'b300', 'gb200', 'gb300', 'a100']
NEIGHBOURS = [-2, -1, 1, 2]
# Sections of a container whose values decide about a launch; the others name paths, loggers and the like.
SECTIONS = ['model', 'ddp', 'optimizer', 'train', 'scheduler', 'checkpoint', 'comm_overlap', 'mixed_precision', 'dist', 'rng', 'validation', 'profiling', 'dataset']


def skip(reason):
    print(f'skipped: {reason}')
    sys.exit(77)


def literals():
    """What the rules compare each name with: {"model.moe_router_topk": {1, 2}}, {"stack.te": {"2.3.0"}}."""
    found = collections.defaultdict(set)
    name = r'\b((?:model|ddp|optimizer|train|scheduler|checkpoint|comm_overlap|mixed_precision|dist|rng|validation|profiling|dataset|mlm|stack|env)\.\w+)'
    for path in sorted((ROOT / 'rules').glob('*/*.yaml')):
        rule = yaml.load(path.read_text(), LOADER)
        if not isinstance(rule, dict):
            continue
        for text in (str(rule.get(key) or '') for key in ('given', 'assert')):
            for field, value in re.findall(name + r'\s*(?:==|!=|<=|>=|<|>)\s*(v?"[^"]*"|-?\d+(?:\.\d+)?|true|false|null)', text):
                found[field].add(value)
            for field, values in re.findall(name + r' in (\[[^\]]*\])', text):
                found[field] |= set(re.findall(r'"[^"]*"|-?\d+(?:\.\d+)?', values))
            for field in re.findall(name, text):
                found[field]
    # Sorted: of 1 and true, which are equal, the set keeps the first.
    return {field: {literal(value) for value in sorted(values)} for field, values in found.items()}


def literal(text):
    if text.startswith('v"'):
        return text[2:-1]
    if text.startswith('"'):
        return text[1:-1]
    return {'true': True, 'false': False, 'null': None}.get(text, (float(text) if '.' in text else int(text)) if text not in ('true', 'false', 'null') else None)


def variants(value, known, random):
    """A value near another one, or one that a rule compares with."""
    if known and random.random() < 0.5:
        near = random.choice(sorted(known, key=repr))
        if isinstance(near, int) and not isinstance(near, bool) and random.random() < 0.4:
            near += random.choice(NEIGHBOURS)
        return near
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return random.choice([value + random.choice(NEIGHBOURS), value * 2, value // 2, 0, 1, None])
    if isinstance(value, float):
        return random.choice([value * 2, -value, 0.0, 1.0])
    if isinstance(value, list):
        return random.choice([[], value[:-1], value + value[:1], None])
    if isinstance(value, str):
        return random.choice([value + 'x', None, ''])
    return random.choice([True, 1, 2, 8])


class Bridge:
    # Start-up opens these; a number is taken for an open file, which may be the oracle's own output.
    ON_DISK = ('pretrained_checkpoint', 'per_dataset_sequences_path')
    FRESH = {'bool': [True], 'int': [1, 2, 8], 'number': [0.5, 1.0], 'text': ['x'], 'list': [[]]}

    def __init__(self, version, known):
        self.known, self.types = known, collections.defaultdict(set)
        table = yaml.load((ROOT / 'rules/vocabulary/bridge.yaml').read_text(), LOADER)
        for part in table['classes']:
            for field in part.get('fields') or []:
                self.types[field['name']].add(field['type'].rstrip('?'))

    def change(self, case, tree, random):
        section = random.choice([name for name in SECTIONS if isinstance(tree.get(name), dict)] + ['model'] * 6)
        fields = tree.get(section) or {}
        if section == 'model' and isinstance(fields.get('transformer'), dict) and random.random() < 0.8:
            section, fields = 'model.transformer', fields['transformer']
        names = [name for name, value in fields.items() if not name.startswith('_') and not isinstance(value, dict) and name not in self.ON_DISK]
        told = [name for name in names if f'{section.split(".")[0]}.{name}' in self.known]
        if told and random.random() < 0.8:
            names = told
        if names:
            name = random.choice(names)
            path = f'{section}.{name}'
            present, told = case['set'].get(path, fields[name]), self.known.get(f'{section.split(".")[0]}.{name}')
            fresh = [value for kind in sorted(self.types[name]) for value in self.FRESH.get(kind, ())]
            # A null says nothing about the kind of value that belongs there; the vocabulary does.
            case['set'][path] = random.choice(fresh) if present is None and fresh and random.random() < 0.5 else variants(present, told, random)


class MegatronLm:
    def __init__(self, version, known):
        table = yaml.load((ROOT / 'rules/vocabulary/mlm.yaml').read_text(), LOADER)
        order = [str(one) for one in table['versions']]
        holds = lambda entry: order.index(str(entry.get('since', order[0]))) <= order.index(version) <= order.index(str(entry.get('until', order[-1])))
        fields = {entry.get('attribute', entry['name'].split('.')[-1]): entry['name'] for entry in table['fields'] if holds(entry)}
        self.flags, self.known = [], {}
        for flag in filter(holds, table['flags']):
            self.flags.append(flag)
            name = fields.get(flag.get('sets'), f'mlm.{flag.get("sets")}')
            if name in known or f'mlm.{flag.get("sets")}' in known:
                self.known[flag['flags'][0]] = known.get(name, set()) | known.get(f'mlm.{flag.get("sets")}', set())
        self.told = [flag for flag in self.flags if flag['flags'][0] in self.known]

    # Whether these work depends on a package or a process group, not on the recipe; --heterogeneous-layers-config is a text in a format
    # of its own, and the last belong to programs that the oracle does not start.
    ELSEWHERE = ('--enable-msc', '--inprocess-restart', '--use-checkpoint-args', '--kitchen-', '--heterogeneous-layers-config', '--export-', '--modelopt-', '--retro-',
                 '--enable-gpt-oss', '--finetune-data-', '--finetune-hf-dataset', '--freeze-base-for-mtp', '--qad-', '--teacher-model-config')
    # They say which program the recipe is for; the oracle reads it off the recipe as it was before the changes.
    PROGRAM = ('--hybrid', '--is-hybrid', '--mamba')

    def change(self, case, tree, random):
        present = tree.get('MODEL_ARGS') or {}
        if present and '--use-checkpoint-args' not in present and random.random() < 0.15:
            gone = random.choice(sorted(map(str, present)))
            if not gone.startswith(self.PROGRAM):
                case['unset'] = sorted({*case.get('unset', []), gone} - set(case['set']))
            return
        flag = random.choice(self.told if random.random() < 0.85 else self.flags)
        name = flag['flags'][0]
        if name.startswith(self.ELSEWHERE) or name.startswith(self.PROGRAM) and not any(str(other).startswith(self.PROGRAM) for other in present):
            return
        if flag.get('action', 'store') != 'store':
            case['set'][name] = True
        elif flag.get('choices'):
            case['set'][name] = random.choice(flag['choices'])
        else:
            present_value = case['set'].get(name, present.get(name))
            try:
                present_value = int(present_value)
            except (TypeError, ValueError):
                pass
            value = variants(present_value if present_value is not None else random.choice([1, 2, 4, 8]), self.known.get(name), random)
            if value is None or isinstance(value, (bool, list)):
                return
            case['set'][name] = value
        case['unset'] = [other for other in case.get('unset', []) if other != name]


def vectors_of(framework, version):
    return EVIDENCE / 'vectors' / f'{framework}-{version}.jsonl'


def parents(framework, version):
    """Vectors that start: a base recipe on its own device and world size, some with a few changes."""
    return [vector for vector in map(json.loads, vectors_of(framework, version).open()) if vector.get('expect', {}).get('verdict') == 'starts']


def of_release(case, tree, args):
    """Turns a launch of --version into one of --release, whose Megatron-Core the oracle knows, without the fields of --without and, with
    --known-flags, the recipe's own flags that it lacks."""
    if args.release != args.version:
        case['version'] = args.release
        case['stack'].pop('mcore', None)
    case['unset'] = sorted({*case['unset'], *args.without, *(flag for flag in tree.get('MODEL_ARGS') or () if args.flags and flag not in args.flags)})


def generate(args):
    known = literals()
    chooser = random.Random(args.seed)
    maker = (Bridge if args.framework == 'bridge' else MegatronLm)(args.version, known)
    made = distributions.Bridge(args.version) if args.framework == 'bridge' else distributions.MegatronLm(args.version, maker)
    trees, cases = {}, []
    stock = parents(args.framework, args.version)
    te = sorted({value for value in known.get('stack.te', ()) if isinstance(value, str)})
    def tree_of(base):
        if base not in trees:
            trees[base] = yaml.load((EVIDENCE / 'corpus' / base).read_text(), scoring.Loader)
        return trees[base]

    clean = [vector for vector in stock if not vector.get('set') and not vector.get('unset')] or stock
    while len(cases) < (args.cases if args.distribution != 'cases' else min(args.cases, len(made.cases.made))):
        by_hand = None
        if args.distribution == 'cases':
            parent, by_hand = made.cases.draw(len(cases), clean, tree_of, chooser)
        else:
            parent = chooser.choice(stock)
        tree_of(parent['base'])
        case = {key: json.loads(json.dumps(parent[key])) for key in ('framework', 'version', 'base', 'set', 'stack', 'hw', 'world_size', 'env') if key in parent}
        case['unset'] = list(parent.get('unset', []))
        case['parent'] = parent['id']
        case['id'] = f'{args.framework}/{args.version}/{args.seed}-{len(cases):05}'
        of_release(case, trees[parent['base']], args)
        if by_hand:
            case['kind'] = by_hand(case)
            distributions.as_written(case)
            cases.append(case)
            continue
        if args.distribution != 'near':
            case['kind'] = distributions.draw(args.distribution, made, case, trees[parent['base']], chooser)
            cases.append(case)
            continue
        for _ in range(chooser.choice([1, 1, 2, 3])):
            kind = chooser.random()
            if kind < 0.06:
                case['world_size'] = max(1, chooser.choice([case['world_size'] // 2, case['world_size'] * 2, case['world_size'] + 1]))
            elif kind < 0.1:
                case['hw'] = chooser.choice(DEVICES)
            elif kind < 0.16 and te:
                case['stack'] = {**case['stack'], 'te': chooser.choice(te)}
            else:
                maker.change(case, trees[parent['base']], chooser)
        cases.append(case)
    return cases


class Judges:
    """Both sides: the oracle in one process, `epwise` in batches of one target."""

    def __init__(self, args):
        self.args, self.bases = args, {}
        root = pathlib.Path(os.environ.get('EPWISE_ORACLE', pathlib.Path.home() / '.cache/epwise-oracle'))
        self.python = root / 'venv/bin/python'
        if not self.python.exists() or not (root / 'src' / f'{args.framework}-{args.release}').exists():
            skip(f'the oracle has no {args.framework} {args.release}; tests/oracle/launch/setup.sh or tests/oracle/releases.py makes it (tests/README.md)')

    def upstream(self, cases):
        start, number, total, silent = time.monotonic(), 0, len(cases), 0
        while cases:
            answered = 0
            for answer in self.ask(cases):
                answered, number = answered + 1, number + 1
                yield answer['id'], answer.get('expect')
                if sys.stderr.isatty() and number % 50 == 0:
                    left = (time.monotonic() - start) / number * (total - number)
                    print(f'\roracle: {number} of {total}, {left:.0f} s left ', end='', file=sys.stderr, flush=True)
            silent = 0 if answered else silent + 1
            if silent == 3:
                skip('the oracle gives no answers')
            # A launch can end the oracle's own process; it goes on behind that one.
            cases = cases[answered + 1:]

    def ask(self, cases):
        """Answers as long as the oracle lives, in the order of the cases."""
        command = [str(self.python), str(ROOT / 'tests/oracle/releases.py'), self.args.framework, self.args.release, '--batch', '-', '--bases', str(EVIDENCE / 'corpus')]
        run = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

        def tell():
            try:
                run.stdin.write(''.join(json.dumps(case) + '\n' for case in cases))
                run.stdin.close()
            except BrokenPipeError:
                pass

        threading.Thread(target=tell, daemon=True).start()
        yield from map(json.loads, run.stdout)

    def ours(self, cases, folder):
        batches = collections.defaultdict(list)
        for number, case in enumerate(cases):
            if case['base'] not in self.bases:
                text = (EVIDENCE / 'corpus' / case['base']).read_text()
                self.bases[case['base']] = text if case['framework'] == 'mlm' else yaml.load(text, scoring.Loader)
            case['file'] = f'{number:06}.yaml'
            edit = scoring.edit_flags if case['framework'] == 'mlm' else scoring.edit_tree
            (folder / case['file']).write_text(edit(self.bases[case['base']], case))
            batches[scoring.target(case)].append(case)
        answers = {}
        for key, group in batches.items():
            got = scoring.lint(self.args.binary, key, [str(folder / case['file']) for case in group])
            for case in group:
                report = got.get(case.pop('file')) or {}
                answers[case['id']] = {**(report.get('launch') or {}), 'effective': report.get('effective') or []}
        return answers


def batches(items, size):
    batch = []
    for item in items:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def keeping(answers, cases, path):
    with path.open('a') as out:
        for name, expect in answers:
            out.write(json.dumps([cases[name], expect]) + '\n')
            out.flush()
            yield name, expect


# What a launch met on the machine of the oracle, which no recipe tells: files that the random change named, process groups that are
# not there, a loop of the oracle's own over no virtual stages.
ELSEWHERE = re.compile(r"\[Errno 2\] No such file|Pretrained checkpoint .*does not exist|'(mlflow|comet_ml)' package is not installed|Default process group has not been initialized|local variable 'made'|Found no NVIDIA driver"
                       r"|TE >= 1\.4 or Apex|cannot import name 'fused_")  # what releases up to 0.13 miss in the stand-in of Transformer Engine


def undecided(expect):
    return ELSEWHERE.search(str(expect.get('message') or ''))


def unasked(case, mine):
    """Stages that the oracle does not reach: it reads no arguments from a checkpoint, makes no model of BERT and T5, and no dispatcher of
    a hybrid one or of Megatron-LM up to 0.14."""
    if mine.get('code') == 'HYG137':
        return True
    if case['framework'] == 'mlm' and case['version'] in ('0.12.3', '0.13.1', '0.14.0') and str(mine.get('rule')).startswith('dispatch/') and mine.get('at') == 'schedule':
        return True
    if case['framework'] != 'mlm' or mine.get('verdict') != 'rejects':
        return False
    other = re.search(r'test_cases__(bert|t5)__', case['base'])
    return mine.get('at') == 'schedule' and (other or str(mine.get('rule')).startswith('dispatch/') and re.search('hybrid|mamba|nemotron', case['base'])) or mine.get('at') == 'builders' and other


class Figures:
    """What the vectors' own tool reports, by kind of change, by section and by raise site."""

    def __init__(self, args):
        self.own_lines = args.release == args.version  # the lines of another release are other checks
        self.counts, self.rewrites = collections.defaultdict(collections.Counter), collections.Counter()
        self.rules, self.named, self.missed = collections.defaultdict(set), collections.Counter(), collections.Counter()
        for vector in map(json.loads, vectors_of(args.framework, args.version).open()):
            expect = vector.get('expect') or {}
            if expect.get('rule'):
                self.rules[self.check(expect)] |= set(expect['rule'])

    @staticmethod
    def check(expect):
        """A check by its place; those of argparse, which has but one, by their message. A value without attributes fails wherever it is read."""
        if expect.get('exception') == 'AttributeError':
            return f"{expect.get('at')} AttributeError"
        return expect.get('at') if expect.get('at') != 'argparse' else 'argparse ' + ' '.join(re.sub(r"argument \S+|'[^']*'|\d+", '', str(expect.get('message'))).split()[:4])

    def note(self, case, expect, mine):
        good = expect['verdict'] == mine.get('verdict')
        names = [f"kind {case.get('kind', 'near')}"] + [f'section {name}' for name in sorted({path.split('.')[0] for path in [*case['set'], *case['unset']]})][:0 if case['framework'] == 'mlm' else None]
        if case.get('section'):
            names = [f"within {case['section']}"]
        if case.get('site'):
            names += [f"site {case['site']}"]
        for name in names:
            self.counts[name][good] += 1
        if not good:
            self.missed[expect['verdict'], str(expect.get('at')), mine.get('code') or ''] += 1
        elif expect['verdict'] == 'rejects':
            if self.rules.get(self.check(expect)) and self.own_lines:
                right = mine.get('code') in self.rules[self.check(expect)] or expect.get('at') == 'argparse' and str(mine.get('code')).startswith('FLG')
                self.named[right] += 1
                if not right:
                    self.missed['other check', str(expect.get('at')), mine.get('code') or ''] += 1
        else:
            executed = {entry['field']: entry for entry in mine['effective']}
            for field, (before, after) in (expect.get('effective') or {}).items():
                if not scoring.same(before, after):
                    right = field in executed and scoring.same(executed[field].get('executed'), after)
                    self.rewrites[right] += 1
                    if not right:
                        self.missed['rewrite', f'{field} {before} to {after}'[:90], str(executed.get(field, {}).get('executed'))[:40]] += 1

    def print(self, show):
        share = lambda counter: counter[True] / max(1, counter[True] + counter[False])
        print('; '.join(f'{name} {share(counter):.3f} of {sum(counter.values())}' for name, counter in sorted(self.counts.items())))
        print(f'right check {share(self.named):.4f} of {sum(self.named.values())}, rewrites {share(self.rewrites):.4f} of {sum(self.rewrites.values())}')
        for (what, place, ours), count in self.missed.most_common(show):
            print(f'  {count:4} {what}: {place} {ours}')


def differ(case, expect, got):
    return bool(expect) and expect.get('verdict') != got.get('verdict')


def shrink(case, parent, judges, folder):
    """The fewest changes against the parent that still disagree; each step asks both sides."""
    keys = [key for key, value in case['set'].items() if parent['set'].get(key, case) != value]
    for key in keys:
        if len(keys) == 1:
            break
        smaller = json.loads(json.dumps(case))
        if key in parent['set']:
            smaller['set'][key] = parent['set'][key]
        else:
            del smaller['set'][key]
        expect = dict(judges.upstream([smaller])).get(case['id'])
        if differ(smaller, expect, judges.ours([smaller], folder)[case['id']]):
            case, keys = smaller, [other for other in keys if other != key]
    return case


def changes(case, parent):
    return json.dumps({key: value for key, value in case['set'].items() if key not in parent['set'] or parent['set'][key] != value})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('binary', type=lambda text: str(pathlib.Path(text).resolve()))
    parser.add_argument('--framework', choices=['bridge', 'mlm'], required=True)
    parser.add_argument('--version', required=True)
    parser.add_argument('--release', help='asks about this release instead, with recipes, fields and parents of --version (tests/oracle/releases.py)')
    parser.add_argument('--known-flags', action='store_true', help='the recipes lose the flags that --release lacks, so that its later checks are reached (mlm, with tables of its own)')
    parser.add_argument('--without', action='append', default=[], metavar='FIELD', help='a field that every recipe loses, as train.exit_signal, which 0.4.2 cannot load')
    parser.add_argument('--distribution', choices=['near', 'mixed', 'within', 'cases', *distributions.NAMES], default='near')
    parser.add_argument('--cases', type=int, default=5000)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--floor', type=float, default=0.98)
    parser.add_argument('--shrink', type=int, default=0, help='how many disagreements to shrink (a start of the oracle each step)')
    parser.add_argument('--again', action='store_true', help='judge the answers that the oracle gave to the last run in DIR, without asking it')
    parser.add_argument('--resume', action='store_true', help='ask the oracle only about what the last run in DIR got no answer to')
    parser.add_argument('--show', type=int, default=20)
    parser.add_argument('--out', type=pathlib.Path, default=ROOT / 'build/differential')
    args = parser.parse_args()
    args.release = args.release or args.version
    args.flags = {spelling for flag in MegatronLm(args.release, {}).flags for spelling in flag['flags']} if args.known_flags else set()
    if not vectors_of(args.framework, args.version).exists():
        skip(f'no launches to begin with at {vectors_of(args.framework, args.version)}')
    judges = Judges(args)
    work = args.out / f'{args.framework}-{args.release}-recipes'
    work.mkdir(parents=True, exist_ok=True)
    kept = args.out / f'{args.framework}-{args.release}-answers.jsonl'
    told = [json.loads(line) for line in kept.open()] if args.again or args.resume else []
    cases = {case['id']: case for case in ([case for case, _ in told] if args.again else generate(args))}
    answers = ((case['id'], expect) for case, expect in told)
    if not args.again:
        if not args.resume:
            kept.unlink(missing_ok=True)
        done = {case['id']: case for case, _ in told}
        cases.update(done)
        answers = itertools.chain(answers, keeping(judges.upstream([case for case in cases.values() if case['id'] not in done]), cases, kept))
    by_parent = {vector['id']: vector for vector in parents(args.framework, args.version)}
    kinds, wrong, figures = collections.Counter(), 0, Figures(args)
    with (args.out / f'{args.framework}-{args.release}.jsonl').open('w') as out:
        for batch in batches(answers, 250 if not args.again else len(cases)):
            asked = [(cases[name], expect) for name, expect in batch if expect and not undecided(expect)]
            got = judges.ours([case for case, _ in asked], work)
            for case, expect in asked:
                mine = got[case['id']]
                if unasked(case, mine):
                    continue
                kinds[expect['verdict'], mine.get('verdict', 'none')] += 1
                figures.note(case, expect, mine)
                if not differ(case, expect, mine):
                    continue
                wrong += 1
                if wrong <= args.shrink:
                    case = shrink(case, by_parent[case['parent']], judges, work)
                out.write(json.dumps({**case, 'expect': expect, 'got': mine}) + '\n')
                if wrong <= args.show:
                    print(f"{case['id']} expected {expect['verdict']}, got {mine.get('verdict')} {mine.get('code') or ''}: {case.get('kind', '')} "
                          f"{pathlib.Path(case['base']).stem[-60:]} {changes(case, by_parent[case['parent']])} unset {case['unset']} te {case['stack'].get('te')} {case['hw']}x{case['world_size']}; "
                          f"{expect.get('at') or ''} {str(expect.get('message') or '')[:120]}", flush=True)
    asked = sum(kinds.values())
    agreement = 1 - wrong / asked if asked else 0.0
    table = ', '.join(f'{upstream} → {ours} {count}' for (upstream, ours), count in sorted(kinds.items()))
    figures.print(args.show)
    print(f'{args.framework} {args.release}: {asked} launches ({len(cases) - asked} left out: a file is missing, or the oracle does not decide them), agreement {agreement:.4f}; {table}')
    return 0 if agreement >= args.floor else 1


if __name__ == '__main__':
    sys.exit(main())
