#!/usr/bin/env python3
"""Scores `epwise lint` against verdicts of the real upstream validators.

    tests/support/scoring.py BIN FILE.jsonl… --bases DIR [--table] [--tier 1] [--limit N] [--floor FIGURE=VALUE …]
    tests/support/scoring.py BIN FILE.jsonl… --bases DIR --write OUT        only writes the changed recipes, to look at or to lint by hand

Each line of a vector file is one launch that the real Megatron-Bridge or Megatron-LM code was asked to validate (oracle/launch/,
oracle/verdicts.py): `base` (a recipe under --bases), changed by `set` and `unset`, on `stack`, `hw`, `world_size` and `env`, with the
answer in `expect` (verdict, the check that refused, the values that start-up rewrote).
The changed recipes are written to a temporary folder and linted in batches of one target:

    BIN lint FILE… --framework bridge|mlm --stack bridge=0.6.2,te=2.14.0,… --hw h100 --gpus 16 --env K=V --format json

and of the answer is read:  files[].path,  files[].launch.{verdict: starts|rejects|undecided, code},
files[].effective[].{field, written, executed}.  Needs PyYAML (python3-yaml). One line of figures a file; exit 1 where a --floor is
not met by one of them.
Figures: agreement (verdict), false_rejects (of those that start), missed_rejects, undecided, rule (right check named, of those whose
`expect` names rules), rewrite (share of rewritten values predicted), invented (values said to be rewritten that are not, as a share of
the same). `tier` 1 is the core of the vectors that have tiers.
"""
import argparse, collections, json, pathlib, re, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor
import yaml

from evidence import EVIDENCE

CORPUS = EVIDENCE / 'corpus'
Loader = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)
Dumper = getattr(yaml, 'CSafeDumper', yaml.SafeDumper)


def load(path): return [json.loads(line) for line in open(path) if line.strip()]


def yaml_scalar(value):
    if value is None: return 'null'
    if isinstance(value, bool): return 'true' if value else 'false'
    if isinstance(value, str) and not re.fullmatch(r'[A-Za-z0-9_./${}+][A-Za-z0-9_./${}+*-]*', value): return json.dumps(value)
    return str(value) if isinstance(value, (str, int, float)) else json.dumps(value)


def edit_flags(text, vector):
    """MODEL_ARGS of a Megatron-LM file edited as text, so that its own spelling and comments stay."""
    lines, out, inside, pad, skip = text.splitlines(), [], False, '  ', None
    drop = set(vector.get('unset', [])) | set(vector.get('set', {}))
    added = lambda: [f'{pad}{k}: {yaml_scalar(v)}' for k, v in vector.get('set', {}).items()]
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if re.match(r'MODEL_ARGS\s*:', line): inside = True; out.append(line); continue
        if inside and line.strip() and indent == 0 and not line.startswith(('#', '-')): out += added(); inside = False
        if inside:
            if skip is not None and (not line.strip() or indent > skip or (indent == skip and line.lstrip().startswith('- '))): continue
            skip = None
            key = re.match(r"""\s*['"]?(--?[\w-]+)['"]?\s*:""", line)
            if key: pad = line[:indent]
            if key and key[1] in drop: skip = indent; continue
        out.append(line)
    if inside: out += added()
    return '\n'.join(out) + '\n'


def edit_tree(base, vector):
    """A Bridge container with the vector's dotted paths set or removed."""
    tree = json.loads(json.dumps(base))
    for path in vector.get('unset', []) + list(vector.get('set', {})):
        *parents, last = path.split('.')
        node = tree
        for name in parents:
            if not isinstance(node.get(name), dict): node[name] = {}
            node = node[name]
        if path in vector.get('set', {}): node[last] = vector['set'][path]
        else: node.pop(last, None)
    return yaml.dump(tree, None, Dumper, sort_keys=False, width=4096)


def target(vector):
    stack = {**vector.get('stack', {}), vector['framework']: vector['version']}
    return (vector['framework'], ','.join(f'{k}={v}' for k, v in sorted(stack.items())), vector['hw'], vector['world_size'],
            tuple(sorted((vector.get('env') or {}).items(), key=str)))


def lint(binary, key, files):
    framework, stack, hw, world, env = key
    cmd = [binary, 'lint', *map(str, files), '--framework', framework, '--stack', stack, '--hw', hw, '--gpus', str(world), '--format', 'json']
    for name, value in env: cmd += ['--env', name if value is None else f'{name}={value}']   # a bare name unsets
    run = subprocess.run(cmd, capture_output=True, text=True, timeout=300)
    try: return {pathlib.Path(f['path']).name: f for f in json.loads(run.stdout)['files']}
    except Exception:
        if len(files) > 1:   # one recipe that crashes the program must not hide the others' answers
            half = len(files) // 2
            return lint(binary, key, files[:half]) | lint(binary, key, files[half:])
        print(f'no JSON, exit {run.returncode}:', ' '.join(cmd[:3]), (run.stderr or run.stdout)[-300:], file=sys.stderr)
        return {}


def same(a, b):
    if isinstance(a, (int, float)) and isinstance(b, (int, float)): return float(a) == float(b)
    return str(a).lower() == str(b).lower()


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('binary')
    p.add_argument('files', nargs='+')
    p.add_argument('--bases', type=pathlib.Path, action='append', default=[CORPUS], help='where the bases are; also in the corpus of the evidence')
    p.add_argument('--table', action='store_true', help='print every launch with another answer')
    p.add_argument('--limit', type=int)
    p.add_argument('--tier', type=int)
    p.add_argument('--write', type=pathlib.Path, help='only write the recipes here')
    p.add_argument('--floor', action='append', default=[])
    args = p.parse_args()
    vectors = [{**v, 'from': pathlib.Path(f).stem} for f in args.files for v in load(f) if 'expect' in v and (not args.tier or v.get('tier', 1) <= args.tier)][:args.limit]
    if args.write:
        args.write.mkdir(parents=True, exist_ok=True)
    bases, batches = {}, collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        for number, v in enumerate(vectors):
            if v['base'] not in bases:
                text = next(d / v['base'] for d in args.bases if (d / v['base']).exists()).read_text()
                bases[v['base']] = text if v['framework'] == 'mlm' else yaml.load(text, Loader)
            v['file'] = f'{number:06}.yaml'
            edit = edit_flags if v['framework'] == 'mlm' else edit_tree
            pathlib.Path(folder, v['file']).write_text(edit(bases[v['base']], v))
            if args.write: (args.write / (v['id'].replace('/', '-') + '.yaml')).write_text(pathlib.Path(folder, v['file']).read_text())
            batches[target(v)].append(v)
        if args.write:
            print(len(vectors), 'recipes')
            return 0
        jobs = [(key, group[i:i + 500]) for key, group in batches.items() for i in range(0, len(group), 500)]
        with ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(lambda job: lint(args.binary, job[0], [f'{folder}/{v["file"]}' for v in job[1]]), jobs))
    answer_of = {}
    for (key, group), answer in zip(jobs, answers):
        for v in group: answer_of[v['file']] = answer.get(v['file'], {})
    short = False
    for name in dict.fromkeys(v['from'] for v in vectors):
        short |= report(name, [v for v in vectors if v['from'] == name], answer_of, args)
    if len(args.files) > 1: report('all', vectors, answer_of, args, floors=False)
    return 1 if short else 0


def report(name, vectors, answer_of, args, floors=True):
    """Prints the figures of one vector file; true where a floor is not met."""
    count, wrong = collections.Counter(), []
    seen = {f for v in vectors for f in (v['expect'].get('effective') or {})}
    for v in vectors:
        expect, got = v['expect'], answer_of[v['file']]
        verdict, code = (got.get('launch') or {}).get('verdict', 'none'), (got.get('launch') or {}).get('code')
        count[expect['verdict'], verdict] += 1
        if verdict != expect['verdict']: wrong.append((v, verdict, code)); continue
        if expect['verdict'] == 'rejects' and expect.get('rule'):
            count['rule', 'right' if code in expect['rule'] else 'wrong'] += 1
            if code not in expect['rule']: wrong.append((v, verdict, code))
        if expect['verdict'] == 'starts':
            executed = {e['field']: e for e in got.get('effective') or []}
            rewrites = {f: after for f, (before, after) in (expect.get('effective') or {}).items() if not same(before, after)}
            for field, after in rewrites.items():
                ok = field in executed and same(executed[field].get('executed'), after)
                count['rewrite', 'right' if ok else 'missed'] += 1
            for field, e in executed.items():
                if field in seen and field not in (expect.get('effective') or {}): count['invented', ''] += not same(e.get('written'), e.get('executed'))
    if args.table and floors:
        for v, verdict, code in wrong[:200]:
            print(f"{v['id']} expected {v['expect']['verdict']} {v['expect'].get('rule')} got {verdict} {code}: {v['base']} set {v.get('set')} "
                  f"unset {v.get('unset')} on {v.get('stack')} {v['hw']}x{v['world_size']}; {v['expect'].get('at')} {str(v['expect'].get('message'))[:140]}")
    n, rewrites = len(vectors), count['rewrite', 'right'] + count['rewrite', 'missed']
    share = lambda part, whole: part / whole if whole else float('nan')
    starts = sum(c for (e, _), c in count.items() if e == 'starts'); rejects = sum(c for (e, _), c in count.items() if e == 'rejects')
    figures = {'agreement': share(count['starts', 'starts'] + count['rejects', 'rejects'], n),
               'false_rejects': share(count['starts', 'rejects'], starts), 'missed_rejects': share(rejects - count['rejects', 'rejects'], rejects),
               'undecided': share(count['starts', 'undecided'] + count['rejects', 'undecided'], n),
               'rule': share(count['rule', 'right'], count['rule', 'right'] + count['rule', 'wrong']),
               'rewrite': share(count['rewrite', 'right'], rewrites), 'invented': share(count['invented', ''], rewrites)}
    bad = []
    for floor in args.floor if floors else []:
        figure, value = floor.split('=')
        upper = figure in ('false_rejects', 'missed_rejects', 'undecided', 'invented')
        met = figures[figure] <= float(value) if upper else figures[figure] >= float(value)
        if not met and figures[figure] == figures[figure]: bad.append(floor)
    print(f'{name}: vectors {n}; ' + '; '.join(f'{k} {v:.4f}' for k, v in figures.items()) + (f" | falls short: {', '.join(bad)}" if bad else ''))
    return bool(bad)


if __name__ == '__main__': sys.exit(main())
