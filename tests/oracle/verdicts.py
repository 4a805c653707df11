#!/usr/bin/env python3
"""Makes launches of a release, asks the framework's own validators about each, and scores the launch verdicts of a binary against them.

    tests/oracle/verdicts.py BIN [--release bridge-0.6.2] [--cases N] [--seed N] [--distribution NAME] [--git-lm DIR] [--git-bridge DIR] [--no-setup] [--out DIR]

Needs nothing but the repository, Python 3.11 with venv and PyYAML, git, 9 GB of disk and a network: the launch oracle (launch/) is laid out
in $EPWISE_ORACLE if the release is not there, wheels come from the package index and sources from GitHub, or from clones that --git-lm and
--git-bridge name. The launches are changes (tests/differential) of recipes that start: dumps of the release's own library of recipes
(Megatron-Bridge), or the configurations of its functional tests (Megatron-LM), as the release ships them.

Prints the figures and writes, below --out/RELEASE, `corpus/` (the recipes) and `verdicts.jsonl`, a launch with the validators' answer a line;
tests/support/scoring.py scores a binary against that file again. `rule` in it: the rules that cite the check that refused (checks.py).

Exit status: 0 the verdicts agree at --floor or more, 1 they do not, 77 the release cannot be laid out (the reason is printed).
"""
import argparse, collections, contextlib, json, math, os, pathlib, re, subprocess, sys, time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# Programs beside pretraining, which the oracle does not start, and files without flags.
OTHER_PROGRAMS = re.compile(r'inference|grpo|multimodal|mimo|flextron|ckpt_converter|gpt-nemo|/rl/')
LM_HEAD = 'd98e8a64ddf34856e74b24714e3bedb2f5a39553'  # what `head` means, as in launch/setup.sh
SMALLEST = 8  # GPUs: one node


def skip(reason):
    print(f'skipped: {reason}', file=sys.__stdout__)
    sys.exit(77)


def git_of(args, given, repository, commit):
    """The git directory that was given, or one with the commit from GitHub."""
    if given:
        return given
    if args.no_setup:
        git = ROOT / 'build/oracle' / f'{pathlib.Path(repository).name}.git'
        if subprocess.run(['git', '--git-dir', git, 'cat-file', '-e', f'{commit}^{{commit}}'], capture_output=True).returncode:
            skip(f'{git} has no {commit}')
        return str(git)
    run = subprocess.run([HERE / 'launch/clone.sh', repository, commit], stdout=subprocess.PIPE, text=True)
    if run.returncode:
        skip(f'{commit} of {repository} cannot be fetched; --git-lm and --git-bridge take clones')
    return run.stdout.strip()


def lay_out(args, oracle, releases):
    """The release's sources under $EPWISE_ORACLE, unless they are there."""
    folders = [oracle.HOME / 'src' / name for name in oracle.VERSIONS[args.framework][args.version][0]]
    missing = lambda: [folder for folder in (*folders, oracle.HOME / 'venv/bin/python') if not folder.exists()]
    if missing() and not args.no_setup:
        given = {'MEGATRON_LM_GIT': args.git_lm or '', 'MEGATRON_BRIDGE_GIT': args.git_bridge or '', 'ONLY': f'^{re.escape(args.release)}$'}
        subprocess.run([HERE / 'launch/setup.sh'], env={**os.environ, **given}, check=False)
    if missing() and not args.no_setup and (oracle.HOME / 'venv/bin/python').exists() and args.version in {**releases.BRIDGE, **releases.MEGATRON_LM}:
        git = git_of(args, args.git_lm, 'NVIDIA/Megatron-LM', f'core_v{args.version}') if args.framework == 'mlm' else ''
        releases.setup(git, [args.version])
    if missing():
        skip(f'{missing()[0]} is missing; tests/oracle/launch/setup.sh makes it')


def gpus_of(flags):
    """The fewest GPUs, from one node on, that the parallel sizes of a recipe divide."""
    size = lambda name: int(flags.get(f'--{name}-parallel-size') or 1)
    tensor, pipeline = size('tensor-model'), size('pipeline-model')
    experts = int(flags.get('--expert-tensor-parallel-size') or tensor) * size('expert-model')
    whole = math.lcm(tensor * pipeline * size('context'), experts * pipeline)
    return whole * -(-SMALLEST // whole)


def configurations(folder, git, commit):
    """The configurations of Megatron-LM's functional tests, below corpus/megatron-lm of the folder, as cases for the oracle."""
    import yaml
    run = lambda *words: subprocess.run(['git', '-C', git, *words], capture_output=True)
    cases, target = [], folder / 'corpus/megatron-lm'
    target.mkdir(parents=True, exist_ok=True)
    listing = run('ls-tree', '-r', '--name-only', commit, 'tests/functional_tests/test_cases/')
    if listing.returncode:
        skip(f'{git} has no {commit}: {listing.stderr.decode().strip()}')
    for path in listing.stdout.decode().splitlines():
        if not path.endswith('/model_config.yaml') or OTHER_PROGRAMS.search(path):
            continue
        text = run('cat-file', 'blob', f'{commit}:{path}').stdout.decode()  # empty if a partial clone lacks it
        try:
            flags = (yaml.load(text, yaml.BaseLoader) or {}).get('MODEL_ARGS')
            gpus = gpus_of(flags)
        except (yaml.YAMLError, AttributeError, ValueError):
            continue  # no flags, or sizes that a launcher fills in
        copy = target / path.replace('/', '__')
        copy.write_text(text)
        named = re.search(r'gb[23]00|b[23]00', path)
        cases.append({'base': str(copy.relative_to(folder / 'corpus')), 'hw': named[0] if named else 'h100', 'world_size': gpus})
    return cases


def make_bases(args, folder, releases):
    """Recipes that start as they are, in corpus/ and vectors/ of the folder, where differential.py reads them."""
    kept = folder / 'vectors' / f'{args.release}.jsonl'
    if kept.exists():
        return
    started = time.monotonic()
    with (folder / 'left_out.txt').open('w') as out, contextlib.redirect_stdout(out):
        if args.framework == 'bridge':
            count = releases.dumps(folder, lambda tag: git_of(args, args.git_bridge, 'NVIDIA-NeMo/Megatron-Bridge', tag), args.version)
        else:
            tag = (releases.MEGATRON_LM.get(args.version) or [None, args.version])[1]
            commit = LM_HEAD if tag == 'head' else f'core_v{tag}'
            git = git_of(args, args.git_lm, 'NVIDIA/Megatron-LM', commit)
            count = releases.starting(folder, 'mlm', args.version, configurations(folder, git, commit))
    print(f'{args.release}: {count} recipes start, made in {time.monotonic() - started:.0f} s; those that do not: {out.name}', flush=True)


def asked(args, differential, checks):
    """Launches with the validators' answers; those that the oracle's own machine decides are left out."""
    cases = {case['id']: case for case in differential.generate(args)}
    for name, expect in differential.Judges(args).upstream(list(cases.values())):
        if expect and not differential.undecided(expect):
            rules = {'rule': checks.codes(expect)} if expect['verdict'] == 'rejects' else {}
            yield {**cases[name], 'expect': {**expect, **rules}}


def score(args, vectors, differential, folder):
    """The figures, with each launch that has another verdict printed."""
    import scoring
    (folder / 'changed').mkdir(exist_ok=True)
    got = differential.Judges(args).ours([dict(vector) for vector in vectors], folder / 'changed')
    vectors = [vector for vector in vectors if not differential.unasked(vector, got[vector['id']])]
    pairs, named, rewritten = collections.Counter(), collections.Counter(), collections.Counter()
    for vector in vectors:
        expect, mine = vector['expect'], got[vector['id']]
        pairs[expect['verdict'], mine.get('verdict', 'none')] += 1
        if expect['verdict'] != mine.get('verdict'):
            print(f"{vector['id']} {vector['base']} set {json.dumps(vector['set'])} unset {vector['unset']} te {vector['stack'].get('te')} {vector['hw']}x{vector['world_size']}: validators "
                  f"{expect['verdict']} {expect.get('at') or ''} {str(expect.get('message') or '')[:120]}; epwise {mine.get('verdict')} {mine.get('code') or ''}")
        elif expect.get('rule'):
            named[mine.get('code') in expect['rule']] += 1
            if mine.get('code') not in expect['rule']:
                print(f"{vector['id']}: {expect['at']} {str(expect.get('message'))[:120]} is cited by {', '.join(expect['rule'])}, and epwise names {mine.get('code')}")
        elif expect['verdict'] == 'starts':
            executed = {entry['field']: entry.get('executed') for entry in mine['effective']}
            for field, (before, after) in (expect.get('effective') or {}).items():
                if not scoring.same(before, after):
                    rewritten[field in executed and scoring.same(executed[field], after)] += 1
    return vectors, pairs, named, rewritten


def told(args, vectors, left_out, pairs, named, rewritten):
    share = lambda right, whole: f'{right / whole:.4f} of {whole}' if whole else 'none'
    verdicts = collections.Counter({verdict: sum(count for (upstream, _), count in pairs.items() if upstream == verdict) for verdict in ('starts', 'rejects')})
    print(f'{args.release}: {len(vectors)} launches, {verdicts["rejects"]} of them rejected; {left_out} left out (a file is missing, or the oracle does not reach the stage)')
    print(f'agreement         {share(pairs["starts", "starts"] + pairs["rejects", "rejects"], len(vectors))}')
    print(f'false rejections  {pairs["starts", "rejects"]} of {verdicts["starts"]} that start')
    print(f'false starts      {pairs["rejects", "starts"]} of {verdicts["rejects"]} that are rejected')
    print(f'undecided         {sum(count for (_, ours), count in pairs.items() if ours not in ("starts", "rejects"))}')
    print(f'right check       {share(named[True], named.total())} rejections whose check a rule cites')
    print(f'rewritten values  {share(rewritten[True], rewritten.total())}')
    return (pairs['starts', 'starts'] + pairs['rejects', 'rejects']) / max(1, len(vectors))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('binary', type=lambda text: str(pathlib.Path(text).resolve()))
    parser.add_argument('--release', default='bridge-0.6.2', help='bridge-… or mlm-…, of those that releases.py and launch/oracle.py know')
    parser.add_argument('--git-lm', metavar='DIR', default=os.environ.get('MEGATRON_LM_GIT'), help='a clone of NVIDIA/Megatron-LM with its history, instead of GitHub')
    parser.add_argument('--git-bridge', metavar='DIR', default=os.environ.get('MEGATRON_BRIDGE_GIT'), help='the same of NVIDIA-NeMo/Megatron-Bridge')
    parser.add_argument('--no-setup', action='store_true', help='skip a release that is not laid out: nothing is downloaded')
    parser.add_argument('--cases', type=int, default=1000)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--distribution', default='near', help='of tests/differential/distributions.py')
    parser.add_argument('--floor', type=float, default=0.98)
    parser.add_argument('--out', type=pathlib.Path, default=ROOT / 'build/verdicts')
    args = parser.parse_args()
    args.framework, _, args.version = args.release.partition('-')
    folder = args.out.absolute() / args.release
    folder.mkdir(parents=True, exist_ok=True)
    os.environ['EPWISE_EVIDENCE'] = str(folder)  # before what reads it is imported
    sys.dont_write_bytecode = True
    sys.path[:0] = [str(HERE), str(ROOT / 'tests/differential'), str(ROOT / 'tests/support')]
    import releases
    oracle = releases.known()
    if args.version not in oracle.VERSIONS.get(args.framework, {}):
        parser.error('releases: ' + ', '.join(f'{framework}-{version}' for framework, versions in oracle.VERSIONS.items() for version in versions))
    if args.version not in releases.TABLES[args.framework]:
        parser.error(f'the program has no tables of its own for {args.release}; tests/differential/differential.py --release compares such releases')
    lay_out(args, oracle, releases)
    import checks, differential
    make_bases(args, folder, releases)
    # differential.py names a release by its version.
    plain = argparse.Namespace(**{**vars(args), 'release': args.version, 'without': [], 'flags': set()})
    vectors = list(asked(plain, differential, checks.Checks(args.framework, args.version)))
    kept = folder / 'verdicts.jsonl'
    kept.write_text(''.join(json.dumps(vector) + '\n' for vector in vectors))
    judged, *counts = score(plain, vectors, differential, folder)
    agreement = told(args, judged, args.cases - len(judged), *counts)
    print(f'verdicts of the validators: {kept}')
    return 0 if agreement >= args.floor else 1


if __name__ == '__main__':
    sys.exit(main())
