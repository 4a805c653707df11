#!/usr/bin/env python3
"""How many warnings and errors epwise reports about recipes that upstream ships and runs, by rule.

    tests/agreement/shipped_warnings.py BIN [--corpus DIR] [--code CODE] [--severity warning] [--most 0.3]

Lints the corpus of tests/README.md, each recipe on the target that its folder's index or its own name gives, without a configuration of
the user's. A recipe that names no number of GPUs gets none (--smallest: the smallest on which it starts). Recipes that the real code
refuses, says the index, do not count. Prints, by code, the number of findings, recipes and one message; --code prints every finding
of a code.

Exit status: 0 if at most --most warnings a recipe and no error but those of JUDGED; 1 otherwise; 77 the corpus is absent.
"""
import argparse, collections, json, pathlib, shutil, sys, tempfile

HERE = pathlib.Path(__file__).resolve()
# Errors about shipped recipes that were judged against upstream and are right.
JUDGED = {
    'PAR012': 'library recipes of GLM-4.5: 92 layers on 8 stages, 46 on 4; who trains with them has to choose a layout',
    'REC001': 'configurations of NeMo 1, and files without MODEL_ARGS: nothing to read',
    'PAR002': 'DeepSeek-V3 on 128 VR200: EP 64 × PP 4 needs 256',
    'PAR033': "fine-tuning of GLM-4.5: TP 2 without sequence parallelism, refused in the first step",
    'PAR036': 'gpt-oss 20B on VR200: sequences of 4096 for a model of 8192',
    'PAR130': 'gpt-oss 20B on VR200: fast_cache_load without path_to_cache',
    'DSP077': 'gpt-oss 120B with ncclep: no rank budget, which core 0.19 requires',
    'ENV023': 'a test that no list of tests names: query-key scaling without its variable',
    'PAR067': 'the same test: torch FSDP2 with fp16',
    'FLG002': 'a test that is commented out: `2 2` as one word',
    'OVL008': 'a test that is commented out: TP overlap in deterministic mode',
    'HYG182': 'Nemotron Nano 12B fine-tuning: min_lr above lr',
    'PRC025': "ModelZoo's files for Megatron-Core 0.16, read as head",
}
sys.path[:0] = [str(HERE.parents[1] / 'support'), str(HERE.parents[1] / 'corpus')]
from diff import lint, told_by_name  # noqa: E402
from evidence import EVIDENCE, skip  # noqa: E402


def shipped(corpus, smallest):
    """Recipes with the target of each, those left out that the real code refuses."""
    recipes = {}
    for path in sorted(corpus.rglob('*.y*ml')):
        if path.name != '.epwise.yaml':
            name = str(path.relative_to(corpus))
            recipes[name] = told_by_name(name)
    for index in sorted(corpus.rglob('index.jsonl')):
        for entry in map(json.loads, filter(str.strip, index.open())):
            name = str((index.parent / entry['file']).relative_to(corpus))
            oracle = entry.get('oracle') or {}
            if oracle.get('verdict') == 'rejects':
                recipes.pop(name, None)
                continue
            stack = {'bridge': index.parent.name, 'te': oracle.get('te'), 'torch': oracle.get('torch')}
            gpus = entry.get('world_size') or (smallest and (oracle.get('world_size') or entry.get('natural_world_size')))
            known = {'hw': entry.get('hw'), 'gpus': gpus, 'stack': ','.join(f'{key}={value}' for key, value in stack.items() if value)}
            recipes[name] = tuple((key, value) for key, value in known.items() if value)
    return recipes


def answer(binary, corpus, recipes):
    groups = collections.defaultdict(list)
    for name, target in recipes.items():
        groups[target].append('/' + name)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder).resolve()
        for name in recipes:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(corpus / name, folder / name)
        targets = [{'paths': paths, **dict(target)} for target, paths in groups.items() if target]
        (folder / '.epwise.yaml').write_text(json.dumps({'targets': targets}))
        return lint(str(pathlib.Path(binary).resolve()), folder, sorted(recipes))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('binary')
    parser.add_argument('--corpus', type=pathlib.Path, default=EVIDENCE / 'corpus')
    parser.add_argument('--code', nargs='+')
    parser.add_argument('--severity', default='warning', choices=['error', 'warning', 'note'], help='the least that is printed')
    parser.add_argument('--smallest', action='store_true')
    parser.add_argument('--most', type=float, default=0.3)
    args = parser.parse_args()
    if not args.corpus.is_dir():
        skip('corpus')
    recipes = shipped(args.corpus, args.smallest)
    answered = answer(args.binary, args.corpus, recipes)
    if answered is None:
        return 1
    by_code, totals = collections.defaultdict(list), collections.Counter()
    for file in answered['files']:
        for finding in file['findings']:
            totals[finding['severity']] += 1
            by_code[finding['severity'], finding['code'], finding['rule']].append((file['path'], finding))
    shown = ('error', 'warning', 'note')[:('error', 'warning', 'note').index(args.severity) + 1]
    for (severity, code, rule), found in sorted(by_code.items(), key=lambda row: (row[0][0], -len(row[1]), row[0][1])):
        if code in (args.code or []):
            for path, finding in found:
                print(f"{path}:{finding.get('line') or 0} {severity}: {finding['message']}")
        elif not args.code and severity in shown:
            files = len({path for path, _ in found})
            print(f"{severity:8}{len(found):4} in {files:3}  {code} {rule}: {found[0][1]['message'][:110]}")
    unjudged = sum(len(found) for (severity, code, _), found in by_code.items() if severity == 'error' and code not in JUDGED)
    rate = totals['warning'] / len(answered['files'])
    print(f"{len(answered['files'])} recipes: {totals['error']} errors, {totals['warning']} warnings ({rate:.2f} a recipe), {totals['note']} notes; "
          f'{unjudged} errors not judged yet')
    return 0 if unjudged == 0 and rate <= args.most else 1


if __name__ == '__main__':
    sys.exit(main())
