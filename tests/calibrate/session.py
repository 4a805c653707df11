#!/usr/bin/env python3
"""`epwise calibrate` as its user meets it: real processes, from kernels through fits and file to a prediction.

    tests/calibrate/session.py BIN [PART…]      default: every part

Runs in the project root. Exit status: 0 all is well, 1 something is not (each with a line).
"""
import json, os, pathlib, re, signal, socket, subprocess, sys, tempfile, time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'tests/support'))
from sampling import share  # noqa: E402
RECIPE = 'examples/seeds/q30-ep16-off.yaml'
TARGET = ['--hw', 'h200', '--gpus', '16']
failures = []


def replaced(words, other):
    """The words with the values of some options replaced; an option that they lack is added."""
    words = list(words)
    for name, value in zip(other[::2], other[1::2]):
        if name in words:
            words[words.index(name) + 1] = value
        else:
            words += [name, value]
    return words


def check(what, holds, more=''):
    if not holds:
        failures.append(what)
        print(f'FAILED: {what}\n{more}')


def environment(**more):
    return {'PATH': '/usr/bin:/bin', 'LANG': 'C.UTF-8', **more}


def run(binary, *words, **more):
    return subprocess.run([binary, *words], cwd=ROOT, env=environment(**more), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=300)


def free_port():
    with socket.socket() as probe:
        probe.bind(('', 0))
        return probe.getsockname()[1]


def wait_for_points(path):
    """Until a few points stand in a file that is being written; four minutes at most."""
    limit = time.monotonic() + 240
    while time.monotonic() < limit and not (path.exists() and path.read_text().count('status: measured') > 2):
        time.sleep(0.02)


def launch(binary, size, *words, timeout=120, meddle=None, lost=None):
    """`size` ranks as torchrun starts them: exit codes and texts of standard error, and how long it took (after `meddle` with the processes).
    Rank `lost` would never end: it is killed when the others have ended."""
    port = str(free_port() - 1)
    begin = time.monotonic()
    ranks = [subprocess.Popen([binary, *words], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=environment(RANK=str(rank), WORLD_SIZE=str(size), LOCAL_RANK=str(rank), LOCAL_WORLD_SIZE=str(size),
                                              MASTER_ADDR='127.0.0.1', MASTER_PORT=port)) for rank in range(size)]
    if meddle:
        meddle(ranks)
        begin = time.monotonic()
    texts = {}
    for number in sorted(range(size), key=lambda each: each == lost):
        rank = ranks[number]
        try:
            if number == lost:
                rank.kill()
            texts[number] = rank.communicate(timeout=timeout)[1]
        except subprocess.TimeoutExpired:
            rank.kill()
            texts[number] = rank.communicate()[1] + 'KILLED'
    return [rank.returncode for rank in ranks], [texts[number] for number in range(size)], time.monotonic() - begin


def points(path):
    return re.findall(r'  - id: "([^"]*)"\n    work: .*\n(?:    beside: .*\n)?(?:    scope: .*\n)?    status: (\w+)', path.read_text())


def simulated(binary, *words):
    ran = run(binary, 'simulate', RECIPE, *TARGET, '-f', 'json', '--force', *words)
    check(f'simulate {words} ends well', ran.returncode == 0, ran.stderr)
    return json.loads(ran.stdout)['files'][0]


def advised_step(binary, *words):
    ran = run(binary, 'advise', RECIPE, *TARGET, '-f', 'json', '--top', '1', '--may-change', 'dispatcher', *words)
    check(f'advise {words} ends well', ran.returncode in (0, 1), ran.stderr)
    return max(json.loads(ran.stdout)['dispatchers'], key=lambda one: one['legal'] and one['name'] == 'alltoall')['step_time_s']


def width(file):
    step = file['step_time_s']
    return step['high'] / step['low']


def cpu(binary, folder):
    path = folder / 'cpu.yaml'
    ran = run(binary, 'calibrate', '--backend', 'cpu', '--quick', '--budget', '150s', '-o', str(path))
    check('the CPU backend ends well', ran.returncode == 0, ran.stderr)
    measured = {name for name, status in points(path) if status == 'measured'}
    for family in ('contention.experts.pair', 'dispatch.direct', 'combine.direct', 'grouped.forward', 'gemm.bf16', 'memory.permute'):
        check(f'{family} was measured on the CPU', any(name.startswith(family) for name in measured), ran.stdout)
    check('nothing was found wrong', 'wrong result' not in path.read_text())
    shown = json.loads(run(binary, 'calibrate', 'show', str(path), '-f', 'json').stdout)
    check('laws were fitted', {'sm_curve', 'sm_table', 'gemm_surface'} <= {fit['form'] for fit in shown['fits']}, shown)
    with_file = simulated(binary, '--calibration', str(path))
    check('what a CPU measured changes no prediction for a GPU', with_file['step_time_s'] == simulated(binary)['step_time_s'])
    check('and the report says why', any('only its host measurements are used' in note for note in with_file['calibration']['notes']), with_file)


def replay(binary, folder):
    script = folder / 'script.yaml'
    script.write_text('schema: epwise.replay/1\nhw: h200\nnoise: 0.05\ntruth: {grouped_gemm: 1.3, host_operation_us: 80, exchange_slowdown: 1.4}\n')
    path = folder / 'h200.yaml'
    words = ['calibrate', RECIPE, '--gpus', '16', '--backend', 'replay', '--replay', str(script), '--quick', '-o', str(path)]
    ran = run(binary, *words)
    check('the replay ends well', ran.returncode == 0, ran.stderr)
    check('the ratio comes first', ran.stdout.startswith('communication to compute: '), ran.stdout)
    check('and once more with what was measured', ran.stdout.count('communication to compute: ') == 2, ran.stdout)
    plain, calibrated = simulated(binary), simulated(binary, '--calibration', str(path))
    effect = calibrated['calibration']
    check('more constants are measured', effect['measured'] > effect['measured_without'], effect)
    check('fewer inputs are assumed', calibrated['inputs']['assumed'] < plain['inputs']['assumed'], (plain['inputs'], calibrated['inputs']))
    check('the interval shrinks', width(calibrated) < 0.97 * width(plain), (width(plain), width(calibrated)))
    check('slow experts make a slow step', calibrated['step_time_s']['value'] > plain['step_time_s']['value'], (plain, calibrated))
    advised_plain, advised = advised_step(binary), advised_step(binary, '--calibration', str(path))
    check('advice counts with the file', advised['value'] > advised_plain['value'], (advised_plain, advised))
    again = run(binary, *words)
    check('a finished run measures nothing again', 'points already measured' in again.stderr, again.stderr)
    kept = path.read_text()
    for other, why in ((['--seed', '2'], 'seed 1, not 2'), (['--backend', 'cpu', '--hw', 'h200'], 'backend replay, not cpu')):
        refused = run(binary, *replaced(words, other))
        check(f'another run ({other}) overwrites no file', refused.returncode == 2 and why in refused.stderr and path.read_text() == kept, refused.stderr)
    second = folder / 'second.yaml'
    run(binary, *words[:-1], str(second), '--seed', '2')
    merged = run(binary, 'calibrate', 'merge', '-o', str(folder / 'both.yaml'), str(path), str(second))
    check('files that say the same twice are merged, and it is told', merged.returncode == 0 and 'points existed already' in merged.stdout, merged)
    nowhere = run(binary, *words[:-1], str(folder / 'absent' / 'x.yaml'))
    check('a place that cannot be written to ends the run before it begins', nowhere.returncode == 3 and 'no such file' in nowhere.stderr, nowhere)
    text = path.read_text()
    path.write_text(text.replace('median:', 'medium:', 1))
    damaged = run(binary, 'simulate', RECIPE, *TARGET, '--calibration', str(path))
    check('a damaged file is refused with its place', damaged.returncode == 3 and re.search(r'h200\.yaml:\d+:\d+: ', damaged.stderr), damaged.stderr)
    path.write_text(text)
    steps = folder / 'steps.yaml'
    measured = 1.2 * plain['step_time_s']['value']
    steps.write_text(f'steps:\n  - {{recipe: {RECIPE}, hw: h200, gpus: 16, step_time_s: {measured}}}\n')
    fitted = run(binary, 'calibrate', 'fit-steps', str(steps), '-o', str(folder / 'steps-fit.yaml'))
    check('steps are fitted', fitted.returncode == 0, fitted.stderr)
    refitted = simulated(binary, '--calibration', str(folder / 'steps-fit.yaml'))['step_time_s']['value']
    check('and the prediction goes towards the step', abs(refitted / measured - 1) < 0.1, (measured, refitted))


def measured_times(path):
    """Name → the line with its times, of what was measured."""
    return dict(re.findall(r'  - id: "([^"]*)"\n(?:    .*\n)*?    status: measured\n(?:    .*\n)*?(    time_us: .*)\n', path.read_text()))


def stopped(binary, path, how):
    """The exit code of a run that a signal ends as soon as a few points stand in its file. Not --quick: a fast machine is done within a second."""
    process = subprocess.Popen([binary, 'calibrate', '--backend', 'cpu', '-o', str(path)], cwd=ROOT, env=environment(), stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for_points(path)
    process.send_signal(how)
    process.communicate(timeout=60)
    return process.returncode


def interrupted(binary, folder):
    path = folder / 'cut.yaml'
    check('Ctrl-C ends with 130', stopped(binary, path, signal.SIGINT) == 130)
    check('and keeps what was measured', len(measured_times(path)) > 2, path.read_text())
    short = run(binary, 'calibrate', '--backend', 'cpu', '--budget', '1s', '-o', str(path))
    check('what is left is told', re.search(r'run the same command to measure the remaining \d+ points', short.stdout), short.stdout)
    path = folder / 'killed.yaml'
    check('a kill ends it at once', stopped(binary, path, signal.SIGKILL) == -signal.SIGKILL)
    before = measured_times(path)
    check('a killed run loses no point that was measured', len(before) > 2, path.read_text())
    check('and its file is whole', run(binary, 'calibrate', 'show', str(path)).returncode == 0)
    planned = len(re.findall('^  ', run(binary, 'calibrate', '--backend', 'cpu', '--dry-run').stdout, re.M))
    checked = run(binary, 'calibrate', 'check', str(path))
    told = re.match(rf'the run did not finish: it came to (\d+) of {planned} points; the same', checked.stdout)
    check('check says that a killed run did not finish', checked.returncode == 1 and told and len(before) <= int(told[1]) < planned,
          (planned, checked.stdout))
    begin = time.monotonic()
    ran = run(binary, 'calibrate', '--backend', 'cpu', '--budget', '1s', '-o', str(path))
    check('a budget ends it', ran.returncode == 0 and 'the budget was spent' in path.read_text(), ran.stderr)
    check('near its time', time.monotonic() - begin < 30, time.monotonic() - begin)
    check('a killed run goes on where it stood', f'{len(before)} points already measured' in ran.stderr, ran.stderr)
    after = measured_times(path)
    check('which came to the end of its plan', 'did not finish' not in run(binary, 'calibrate', 'check', str(path)).stdout)
    check('and measures nothing twice', before.items() <= after.items(), (before, after))


def judged(binary, folder):
    """The judge of a GPU session reads what epwise writes: two replays of an H200 as its two runs."""
    folder = folder / 'device'
    folder.mkdir()
    script = folder / 'script.yaml'
    script.write_text('schema: epwise.replay/1\nhw: h200\nnoise: 0.002\n')
    for number in (1, 2):
        run(binary, 'calibrate', '--backend', 'replay', '--replay', str(script), '--quick', '--seed', str(number), '-o', str(folder / f'quick-{number}.yaml'))
        (folder / f'quick-{number}.seconds').write_text('41\n')
    told = subprocess.run([sys.executable, str(ROOT / 'tests/device/judge.py'), str(folder)], capture_output=True, text=True).stdout
    for what in ('HBM copy', 'bf16 GEMM 8192^3', 'two runs apart', 'wall time of quick run 1', 'wall time of quick run 2'):
        check(f'the judge finds {what}', f'met    {what}' in told, told)
    (folder / 'quick-2.seconds').write_text('61\n')
    slow = subprocess.run([sys.executable, str(ROOT / 'tests/device/judge.py'), str(folder)], capture_output=True, text=True)
    check('and sees what is missed', slow.returncode == 1 and 'MISSED wall time of quick run 2' in slow.stdout, slow.stdout)


def several(binary, folder):
    path = folder / 'ranks.yaml'
    codes, texts, _ = launch(binary, 3, 'calibrate', '--backend', 'cpu', '--quick', '--budget', '3s', '-o', str(path))
    check('three ranks end well', codes == [0, 0, 0], texts)
    text = path.read_text()
    check('the file knows three ranks and who was slowest', 'ranks: 3\n' in text and 'slowest: {rank: ' in text)
    check('only rank 0 speaks', texts[1] == '' and texts[2] == '', texts)
    codes, texts, _ = launch(binary, 3, 'calibrate', '--backend', 'cpu', '--quick', '--budget', '2s', '-o', str(path))
    check('three ranks go on where they stood', codes == [0, 0, 0] and 'points already measured' in texts[0], texts)
    # Processes that a signal ends or stops, whatever they were at.
    for how, name in ((signal.SIGKILL, 'killed'), (signal.SIGSTOP, 'stopped'))[::share(2)]:
        path = folder / f'rank-{name}.yaml'

        def meddle(ranks):
            wait_for_points(path)
            ranks[1].send_signal(how)

        codes, texts, seconds = launch(binary, 3, 'calibrate', '--backend', 'cpu', '--quick', '--budget', '60s', '--timeout', '3s', '-o', str(path), timeout=60,
                                       meddle=meddle, lost=1)
        check(f'a {name} rank ends the others with 5', [codes[0], codes[2]] == [5, 5], (codes, texts))
        check(f'a {name} rank is named by all others', all('rank 1 (host ' in texts[rank] for rank in (0, 2)), texts)
        check(f'beside a {name} rank what was measured is kept', len(measured_times(path)) > 2 and 'ended early: rank 1' in path.read_text())
        check(f'a {name} rank is noticed in time', seconds < 45, seconds)
    for how, took in (('dead_rank', 60), ('hung_rank', 60))[share(2) - 1:]:
        path = folder / f'{how}.yaml'
        script = folder / f'{how}-script.yaml'
        script.write_text(f'schema: epwise.replay/1\nhw: h200\n{how}: 2\nafter_rounds: 500\n')
        codes, texts, seconds = launch(binary, 4, 'calibrate', '--backend', 'replay', '--replay', str(script), '--quick', '--timeout', '2s', '-o',
                                       str(path), timeout=60, lost=2)
        check(f'{how}: the others end with 5', [codes[0], codes[1], codes[3]] == [5, 5, 5], (codes, texts))
        check(f'{how}: everyone names it', all('rank 2 (host ' in texts[rank] for rank in (0, 1, 3)), texts)
        check(f'{how}: what was measured is kept', any(status == 'measured' for _, status in points(path)))
        check(f'{how}: in time', seconds < took, seconds)


PARTS = (cpu, replay, interrupted, judged, several)


def main(binary, names):
    parts = [part for part in PARTS if not names or part.__name__ in names]
    assert len(parts) == len(names or PARTS), names
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        absent = run(binary, 'calibrate', '--backend', 'cuda', '--dry-run', '-o', str(folder / 'none.yaml'), CUDA_VISIBLE_DEVICES='')
        check('without a GPU it ends with 5 and offers what works', absent.returncode == 5 and '--backend cpu' in absent.stderr and 'import' in absent.stderr,
              absent.stderr)
        for part in parts:
            begin = time.monotonic()
            part(binary, folder)
            print(f'{part.__name__}: {time.monotonic() - begin:.1f} s')
    print(f'{len(failures)} failures')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main(os.path.abspath(sys.argv[1]), sys.argv[2:]))
