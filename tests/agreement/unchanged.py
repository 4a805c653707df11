#!/usr/bin/env python3
"""Recipes as upstream ships them: each must get the verdict that the real validators gave it.

    tests/agreement/unchanged.py BIN [--rejected]     --rejected lists those that upstream itself rejects, by its newest version

Reads `oracle` in corpus/bridge/*/index.jsonl of the evidence (tests/README.md) (verdict at its world size, te and torch) and the vectors that change
nothing. Exit status: 0 all agree, 1 some do not (each is printed), 77 no evidence.
"""
import collections, json, pathlib, re, subprocess, sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'support'))
from evidence import EVIDENCE, skip  # noqa: E402
from sampling import share  # noqa: E402
import scoring as tool  # noqa: E402

# The teacher's spec of quantisation-aware distillation comes from ModelOpt, which the oracle lacks: it rejects what runs.
ARTEFACT, DISTILLED = re.compile('You must provide a valid (Mamba|hybrid) layer spec'), '_QAD_'


def shipped():
    for index in sorted((EVIDENCE / 'corpus/bridge').glob('*/index.jsonl')):
        for entry in map(json.loads, filter(str.strip, index.open())):
            if entry.get('oracle'):
                yield {'file': index.parent / entry['file'], 'framework': 'bridge', 'version': index.parent.name, 'hw': entry['hw'], 'env': {},
                       'world_size': entry['oracle']['world_size'], 'stack': {key: entry['oracle'][key] for key in ('te', 'torch') if key in entry['oracle']},
                       'natural': True, 'verdict': entry['oracle']['verdict'], 'why': entry['oracle'].get('message', '')}


def untouched():
    for path in sorted((EVIDENCE / 'vectors').glob('*-[0-9h]*.jsonl')):
        for vector in map(json.loads, filter(str.strip, path.open())):
            if 'expect' in vector and not vector.get('set') and not vector.get('unset'):
                yield {**vector, 'natural': vector['framework'] == 'mlm' and vector.get('mutation') in (None, 'base'), 'file': EVIDENCE / 'corpus' / vector['base'], 'verdict': vector['expect']['verdict'], 'why': vector['expect'].get('message', '')}


def main():
    sys.dont_write_bytecode = True
    cases = [*shipped(), *untouched()]
    if not cases:
        skip('corpus', 'vectors')
    groups = collections.defaultdict(list)
    cases = cases[::share(15)]
    for case in cases:
        groups[tool.target(case)].append(case)
    wrong, artefacts, rejected = 0, 0, {}
    for key, group in groups.items():
        names = {}
        for case in group:
            names.setdefault(str(case['file']), []).append(case)
        framework, stack, hw, world, env = key
        command = [sys.argv[1], 'lint', *names, '--framework', framework, '--stack', stack, '--hw', hw, '--gpus', str(world), '--format', 'json']
        for name, value in env:
            command += ['--env', name if value is None else f'{name}={value}']
        answer = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)
        got = {pathlib.Path(file['path']).name: file.get('launch') or {} for file in answer['files']}
        for case in group:
            launch = got.get(case['file'].name, {})
            if case['natural'] and case['verdict'] == launch.get('verdict') == 'rejects' and launch.get('code') not in ('ENV033', 'ENV034'):  # flags of other versions
                rejected[case['file'].name] = (framework, case['version'], launch.get('code'), launch.get('rule'))
            if launch.get('verdict') != case['verdict'] and ARTEFACT.match(str(case['why'])) and DISTILLED in case['file'].name:
                artefacts += 1
            elif launch.get('verdict') != case['verdict']:
                wrong += 1
                print(f"{case['file'].parent.name}/{case['file'].name} {framework} {case['version']} {hw} x {world}: upstream {case['verdict']}, "
                      f"epwise {launch.get('verdict')} {launch.get('code') or ''} {str(case['why'])[:160]}")
    if '--rejected' in sys.argv:
        for name, about in sorted(rejected.items()):
            print(name, *about)
    print(f'{len(cases)} launches of recipes as shipped: {len(cases) - wrong - artefacts} verdicts equal, {wrong} not, {artefacts} artefacts of the oracle')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
