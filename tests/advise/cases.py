"""Cases of a test that drives `epwise advise`: each has an empty folder of its own, all run, and what failed is told at the end."""
import pathlib, sys, tempfile, time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = str(pathlib.Path(sys.argv[1]).resolve())
failures = []


def check(good, what):
    if not good:
        failures.append(what)
        print('FAILED:', what)


def run(*cases):
    """Ends the program: 1 where a check failed."""
    for case in cases:
        with tempfile.TemporaryDirectory() as place:
            begin = time.time()
            case(pathlib.Path(place))
            print(f'{case.__name__}: {time.time() - begin:.1f} s')
    print('failed' if failures else 'ok')
    sys.exit(bool(failures))
