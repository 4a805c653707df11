#!/usr/bin/env python3
"""`epwise advise` against measured A/B groups (tests/README.md): exit 77 without them.

Every dispatcher group gets an answer; no first plan leads from a measured recipe to one that was measured slower by more
than 3 %; with `--among`, the faster recipe of a decided pair stands above the slower one in at least 15 of 17.
Plans for the corpus' recipes, applied to the text, bring no error or warning, start by the launch model and fit (200 in a complete run).
    advice.py BIN
"""
import collections, json, math, pathlib, subprocess, sys, tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'support'))
from evidence import EVIDENCE, skip  # noqa: E402
from sampling import complete, share  # noqa: E402
if not (EVIDENCE / 'tools' / 'rows.py').is_file():
    skip('tools/rows.py')
sys.path.insert(0, str(EVIDENCE / 'tools'))
import rows as R  # noqa: E402

CATEGORIES = {'dispatcher': ['dispatcher'], 'overlap': ['overlap'], 'cuda_graph': ['graphs']}


def advise(binary, *args):
    run = subprocess.run([binary, 'advise', *map(str, args), '--format', 'json'], capture_output=True, text=True, timeout=600)
    try:
        return json.loads(run.stdout)
    except json.JSONDecodeError:
        return {'broken': (run.stderr or run.stdout)[-300:]}


def leads_to(plan, arm, other):
    """Whether the plan's changes turn one row into the other, as far as rows tell."""
    row = dict(arm)
    for change in plan['changes']:
        field, to = change['field'].split('.')[-1], change['to']
        if field == 'overlap_moe_expert_parallel_comm': row['ep_overlap'] = to == 'true'
        elif field == 'delay_wgrad_compute': row['delay_wgrad'] = to == 'true'
        elif field == 'moe_token_dispatcher_type' and to != 'flex': row['dispatcher'] = to
        elif field == 'moe_flex_dispatcher_backend' and to: row['dispatcher'] = to
        elif field == 'cuda_graph_impl' and to == 'none': row['cuda_graph'] = []
        elif field in ('cuda_graph_modules', 'cuda_graph_scope') and to: row['cuda_graph'] = sorted(to.strip('[]').replace(' ', '').split(','))
        elif field == 'cuda_graph_impl' or 'num_sms' in field: pass
        else: return False
    keys = ('dispatcher', 'ep_overlap', 'delay_wgrad', 'cuda_graph', 'tp', 'pp', 'vp', 'ep', 'mbs', 'recompute')
    norm = lambda x: sorted(x) if isinstance(x, list) else (x or False)
    return all(norm(row.get(k)) == norm(other.get(k)) for k in keys)


def judged(binary, path, target, variables):
    """The launch verdict, the findings above a note, and the probability of running out of memory."""
    env = [x for name, value in variables.items() for x in ('--env', f'{name}={value}')]
    words = [str(path), '--config', 'none', *target, *env, '--format', 'json']
    lint = json.loads(subprocess.run([binary, 'lint', *words], capture_output=True, text=True, timeout=600).stdout)['files'][0]
    sim = json.loads(subprocess.run([binary, 'simulate', *words, '--force'], capture_output=True, text=True, timeout=600).stdout)['files'][0]
    found = {f['code'] for f in lint['findings'] if f['severity'] != 'note'}
    return lint['launch']['verdict'], found, sim['memory']


def flawed_plans(binary, most):
    """How many plans were tried on recipes of the corpus, and what is wrong with which."""
    corpus = EVIDENCE / 'corpus' / 'bridge' / '0.6.2'
    tried, flaws = 0, []
    rows = [json.loads(line) for line in (corpus / 'index.jsonl').read_text().splitlines()] if corpus.is_dir() else []
    for row in sorted((r for r in rows if r.get('moe') and r.get('hw')), key=lambda r: r['file'][::-1]):
        gpus = row.get('world_size') or row.get('natural_world_size')
        if tried >= most: break
        if not gpus: continue
        target = ['--hw', row['hw'], '--gpus', str(gpus), '--stack', 'bridge=0.6.2,te=2.14.0,torch=2.9.1']
        path = corpus / row['file']
        out = advise(binary, path, '--config', 'none', *target, '--top', 8)
        if out.get('repairs'): continue  # its plans start from the repaired text
        plans = [p for p in (out.get('plans') or []) + (out.get('too_close') or []) if p.get('diff')]
        before = judged(binary, path, target, {}) if plans else None
        for plan in plans:
            with tempfile.TemporaryDirectory() as folder:
                copy = pathlib.Path(folder) / row['file']
                subprocess.run(['patch', '-s', '-o', str(copy), str(path)], input=plan['diff'], text=True, check=True)
                verdict, found, memory = judged(binary, copy, target, plan.get('environment') or {})
            tried += 1
            fits = memory['out_of_memory'] <= 0.105 or memory['needed_gib']['value'] <= 1.001 * before[2]['needed_gib']['value']
            if verdict != 'starts' and before[0] == 'starts': flaws.append(f"{row['file']}: {verdict}")
            if found - before[1]: flaws.append(f"{row['file']}: {sorted(found - before[1])}")
            if not fits: flaws.append(f"{row['file']}: memory {memory['out_of_memory']:.2f}")
    return tried, flaws


def main():
    binary = sys.argv[1]
    tried, flaws = flawed_plans(binary, 200 if complete() else 8)
    for flaw in flaws[:20]: print('flawed plan:', flaw)
    print(f'plans applied {tried}, flawed {len(flaws)}')
    data = R.load(R.FACTS / 'perf_rows.jsonl')
    models = {m['model']: m for m in R.load(R.FACTS / 'models.jsonl')}
    by_id = {r['id']: r for r in data}
    answered = groups_n = slower = above = decided = silent = plans = 0
    with tempfile.TemporaryDirectory() as folder:
        index = R.write(folder, data, models)
        groups = collections.defaultdict(list)
        for item in index:
            if item['ab_group'] and item['ab_category'] in CATEGORIES: groups[item['ab_group']].append(item)
        for group, arms in sorted(groups.items())[::share(3)]:
            what = CATEGORIES[arms[0]['ab_category']]
            if len(arms) < 2: continue
            groups_n += arms[0]['ab_category'] == 'dispatcher'
            found = False
            for arm in arms:
                out = advise(binary, f"{folder}/{arm['file']}", '--hw', arm['hw'], '--gpus', arm['gpus'], *[x for w in what for x in ('--may-change', w)])
                if 'broken' in out: print('no answer:', arm['id'], out['broken']); silent += 1; continue
                found = found or bool(out.get('dispatchers'))
                plans += len(out.get('plans') or [])
                for plan in (out.get('plans') or [])[:1]:
                    for other in arms:
                        if other is arm or not leads_to(plan, by_id[arm['id']], by_id[other['id']]): continue
                        if other['step_time_s'] > 1.03 * arm['step_time_s']:
                            slower += 1; print(f"recommends what was slower: {arm['id']} -> {other['id']}")
            answered += arms[0]['ab_category'] == 'dispatcher' and found
            for i, a in enumerate(arms):
                for b in arms[:i]:
                    slow, fast = sorted((a, b), key=lambda x: -x['step_time_s'])
                    if (a['hw'], a['gpus']) != (b['hw'], b['gpus']) or slow['step_time_s'] <= 1.03 * fast['step_time_s']: continue
                    decided += 1
                    out = advise(binary, f"{folder}/{slow['file']}", '--among', f"{folder}/{fast['file']}", '--hw', slow['hw'], '--gpus', slow['gpus'], '--may-change', what[0])
                    rival = (out.get('among') or [{}])[0]
                    if rival.get('place') and rival['place'] < out.get('place', 0): above += 1
                    else: print(f"not above: {fast['id']} over {slow['id']} ({out.get('broken', '')})")
    print(f'dispatcher groups answered {answered}/{groups_n}; slower recommended {slower}; faster above {above}/{decided}; plans {plans}; no answer {silent}')
    sys.exit(not (not flaws and answered == groups_n and slower == 0 and silent == 0 and above >= math.ceil(decided * 15 / 17)))


main()
