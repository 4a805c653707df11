#!/usr/bin/env python3
"""`epwise advise --profile` with SQLite exports of Nsight Systems: what is measured in them, and what is said of those that are none.

    profile.py BIN
"""
import json, pathlib, shutil, sqlite3, subprocess, sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1] / 'support'))
import cases  # noqa: E402
import export  # noqa: E402
from cases import BIN, ROOT, check  # noqa: E402
from sampling import complete, share as sampled  # noqa: E402

RECIPE = ROOT / 'examples/seeds/q30-ep16-off.yaml'


def near(value, wanted, share=0.01):
    return value is not None and abs(value - wanted) <= share * abs(wanted)


def advise(profile=None, recipe=RECIPE, hw='h100', gpus='16'):
    args = [BIN, 'advise', str(recipe), '--hw', hw, '--gpus', gpus, '--may-change', 'overlap', '--top', '1', '--format', 'json']
    run = subprocess.run(args + (['--profile', str(profile)] if profile else []), capture_output=True, text=True, timeout=300)
    try:
        return run, json.loads(run.stdout)
    except json.JSONDecodeError:
        return run, {}


def figures(folder):
    """Step, shares and source, by ranges and by what repeats."""
    _, plain = advise()
    predicted = plain['step_time_s']['value']
    step = 1000 * predicted * 1.1
    layers = 20
    exchange, product = 0.004 * step, 0.02 * step
    parts = dict(steps=6, step_ms=step, layers=layers, exchange_ms=exchange, product_ms=product, first_ms=0.7 * step)
    for nvtx, source in [(True, 'NVTX ranges `iteration`'), (False, 'repeating kernels')]:
        path = folder / f'run-{nvtx}.sqlite'
        export.write(path, nvtx=nvtx, **(parts if nvtx else parts | {'first_ms': 0}))
        run, found = advise(path)
        measured = found.get('measured', {})
        check(run.returncode == 0, f'{source}: exit {run.returncode}: {run.stderr}')
        check(near(measured.get('step_time_s'), step / 1000, 0.002), f'{source}: step {measured} is {step / 1000:.3f} s')
        check(near(measured.get('predicted_s'), predicted, 0.5), f'{source}: the prediction stands beside it')
        check(source in measured.get('source', ''), f'{source}: the source is named: {measured}')
        check(near(measured.get('product_share'), layers * product / step, 0.02), f'{source}: products {measured}')
        check(near(measured.get('exposed_share'), (2 * layers * exchange + 10) / step, 0.02), f'{source}: exposed {measured}')
        check(near(found['step_time_s']['value'], step / 1000, 0.002), f'{source}: the report is held to it')
    path = folder / 'hidden.sqlite'
    export.write(path, **(parts | {'hidden_ms': exchange}))
    _, found = advise(path)
    check(near(found.get('measured', {}).get('exposed_share'), (layers * exchange + 10) / step, 0.03), f'a hidden exchange is not exposed: {found.get("measured")}')
    run = subprocess.run([BIN, 'advise', str(RECIPE), '--hw', 'h100', '--gpus', '16', '--may-change', 'overlap', '--profile', str(path)],
                         capture_output=True, text=True)
    check('only communication' in run.stdout and 'measured' in run.stdout, f'the text tells what was measured: {run.stdout[:800]}')
    run, _ = advise(path, hw='gb200')
    check(run.returncode == 2 and 'was recorded on h100' in run.stderr, f'a profile of another machine is refused: {run.stderr}')


def hostile(folder):
    good = folder / 'good.sqlite'
    export.write(good)

    def refused(path, words, status=3):
        run, found = advise(path)
        said = run.stderr.strip()
        check(run.returncode == status and not found and words in said and str(path) in said and len(said.splitlines()) <= 2,
              f'{path.name}: exit {run.returncode}, {said!r} lacks {words!r}')

    path = folder / 'text.sqlite'
    path.write_text('hello\n')
    refused(path, 'is not an SQLite database')
    path = folder / 'empty.sqlite'
    path.write_bytes(b'')
    refused(path, 'is not an SQLite database')
    path = folder / 'report.nsys-rep'
    path.write_bytes(b'\x00\x01')
    refused(path, 'nsys export')
    path = folder / 'magic.sqlite'
    path.write_bytes(b'SQLite format 3\0' + b'\xff' * 5000)
    refused(path, 'database')
    path = folder / 'cut.sqlite'
    path.write_bytes(good.read_bytes()[:len(good.read_bytes()) // 3])
    refused(path, 'export it again')
    path = folder / 'holes.sqlite'
    data = bytearray(good.read_bytes())
    data[4096:] = b'\x55' * (len(data) - 4096)
    path.write_bytes(data)
    refused(path, 'export it again')
    path = folder / 'other.sqlite'
    database = sqlite3.connect(path)
    database.execute('CREATE TABLE songs (title TEXT)')
    database.commit()
    database.close()
    refused(path, 'is not an Nsight Systems export')
    path = folder / 'no-kernels.sqlite'
    export.write(path, drop=['CUPTI_ACTIVITY_KIND_KERNEL'])
    refused(path, 'no kernels')
    path = folder / 'no-rows.sqlite'
    export.write(path)
    database = sqlite3.connect(path)
    database.execute('DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL')
    database.commit()
    database.close()
    refused(path, 'no kernels')
    path = folder / 'columns.sqlite'
    export.write(path)
    database = sqlite3.connect(path)
    database.execute('ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL RENAME COLUMN deviceId TO gpu')
    database.commit()
    database.close()
    refused(path, 'no column deviceId')
    path = folder / 'one-step.sqlite'
    export.write(path, steps=1, nvtx=False)
    refused(path, 'no steps')
    path = folder / 'graphs.sqlite'
    export.write(path)
    database = sqlite3.connect(path)
    database.execute('CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER)')
    database.execute('INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (1, 2)')
    database.commit()
    database.close()
    refused(path, '--cuda-graph-trace=node')
    path = folder / 'types.sqlite'
    export.write(path)
    database = sqlite3.connect(path)
    database.execute("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = 'soon', end = 9e99")
    database.commit()
    database.close()
    refused(path, 'no kernels')
    # A database that somebody still writes to: its log holds what the file lacks.
    path = folder / 'open.sqlite'
    export.write(path, journal='wal')
    writer = sqlite3.connect(path)
    writer.execute('PRAGMA journal_mode = wal')
    writer.execute("INSERT INTO StringIds VALUES (99, 'late')")
    writer.commit()
    copy = folder / 'copy.sqlite'
    shutil.copy(path, copy)
    shutil.copy(f'{path}-wal', f'{copy}-wal')
    writer.close()
    refused(copy, 'copy.sqlite-wal')
    before = sorted(p.name for p in folder.iterdir())
    advise(good)
    check(sorted(p.name for p in folder.iterdir()) == before, 'nothing is written beside an export')
    path = folder / 'missing.sqlite'
    refused(path, 'missing.sqlite')
    path = folder / 'a space #1?.sqlite'
    shutil.copy(good, path)
    run, _ = advise(path)
    check('database' not in run.stderr, f'a name with odd letters opens: {run.stderr}')


def many_kernels(folder):
    """A long recording: read in reasonable time, or refused with what to do."""
    path = folder / 'long.sqlite'
    export.write(path, steps=50 // sampled(5), step_ms=14_000, layers=2000, exchange_ms=0.3, product_ms=0.9)
    run, found = advise(path)
    check(run.returncode == 0 and near(found.get('measured', {}).get('step_time_s'), 14.0, 0.01), f'300,000 kernels, or a share of them, are read: {run.stderr}')
    if not complete():  # four million kernels take seconds to write
        return
    path = folder / 'huge.sqlite'
    export.write(path, steps=2)
    database = sqlite3.connect(path)
    database.execute('INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT value, value + 1, 0, 1, 7, 1, (0x1234 << 24), 1, 1 FROM '
                     '(WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT 4000001) SELECT value FROM n)')
    database.commit()
    database.close()
    run, _ = advise(path)
    check(run.returncode == 3 and 'record only a few steps' in run.stderr, f'too many kernels are refused: {run.stderr}')


def shares_in_yaml(folder):
    path = folder / 'measured.yaml'
    path.write_text('step_time: 33 s\nexposed_share: 30 %\n')
    run, found = advise(path)
    check(run.returncode == 0 and found['measured'].get('exposed_share') == 0.3, f'an exposed share counts: {run.stderr} {found.get("measured")}')
    low = folder / 'low.yaml'
    low.write_text('step_time: 33 s\nexposed_share: 5 %\n')
    _, less = advise(low)

    def gain(advice):
        return next(r for r in advice['ladder']['rungs'] if r['name'] == 'overlap')['added']['value']
    check(gain(found) > gain(less), f'more exposed communication, more gain by overlap: {gain(found)} and {gain(less)}')
    path.write_text('exposed_share: 130 %\n')
    run, _ = advise(path)
    check(run.returncode == 3 and 'exposed_share must be a share' in run.stderr, f'a share above 1 is refused: {run.stderr}')


def pipelines(folder):
    """NCCL's SendRecv: tokens alone, tokens and a pipeline on two streams, and both on one, which nobody can tell apart."""
    recipe = folder / 'pipeline.yaml'
    text = RECIPE.read_text()
    for old, new in [('  pipeline_model_parallel_size: 1', '  pipeline_model_parallel_size: 2'),
                     ('virtual_pipeline_model_parallel_size: null', 'virtual_pipeline_model_parallel_size: 2'), ('global_batch_size: 1024', 'global_batch_size: 32')]:
        assert old in text
        text = text.replace(old, new)
    recipe.write_text(text)
    _, plain = advise(recipe=recipe, gpus='32')
    step = 1000 * plain['step_time_s']['value']
    exchange = 0.0025 * step
    # 24 layers of a stage, 2 micro-batches, dispatch and combine in both directions: 192.
    parts = dict(step_ms=step, layers=96, exchange_ms=exchange, product_ms=0.003 * step, nccl=True)

    def measured(name, recipe=recipe, **more):
        path = folder / f'{name}.sqlite'
        export.write(path, **(parts | more))
        run, found = advise(path, recipe=recipe, gpus='32')
        check(run.returncode == 0, f'{name}: exit {run.returncode}: {run.stderr}')
        return path, found, found.get('measured', {})

    _, found, apart = measured('apart', transfers=8)
    check(not apart.get('sends_mixed') and near(apart.get('dispatch_time_s'), exchange / 1000), f'two streams are told apart: {apart}')
    path, found, mixed = measured('mixed', transfers=8, transfer_stream=20)
    check(mixed.get('sends_mixed') and not mixed.get('dispatch_time_used') and 'dispatch_time_s' not in mixed, f'one stream is mixed: {mixed}')
    check(near(mixed.get('step_time_s'), step / 1000, 0.002), f'the step counts all the same: {mixed}')

    def gain(advice):
        return next(r for r in advice['ladder']['rungs'] if r['name'] == 'overlap')['added']['value']
    check(near(gain(found), gain(plain), 1e-9), f'what is mixed changes no prediction: {gain(found)} and {gain(plain)}')
    text = subprocess.run([BIN, 'advise', str(recipe), '--hw', 'h100', '--gpus', '32', '--may-change', 'overlap', '--profile', str(path)],
                          capture_output=True, text=True).stdout
    check('are ambiguous' in text, f'the text says that they are mixed: {text[:900]}')
    alone = folder / 'alone.yaml'
    alone.write_text(RECIPE.read_text().replace('global_batch_size: 1024', 'global_batch_size: 32'))
    _, _, single = measured('single', recipe=alone)
    check(not single.get('sends_mixed') and near(single.get('dispatch_time_s'), exchange / 1000), f'without a pipeline all are tokens: {single}')


cases.run(figures, pipelines, hostile, many_kernels, shares_in_yaml)
