#!/usr/bin/env python3
"""A session of `epwise lsp` in Neovim (neovim.lua), without its window.

    tests/editor/neovim.py BIN

Exit 77 with a reason where there is no Neovim (Debian: neovim).
"""
import os, pathlib, shutil, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent


def main(binary):
    if shutil.which('nvim') is None:
        print('skipped: there is no Neovim')
        return 77
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, 'EPWISE': binary, 'EPWISE_EXAMPLES': str(HERE.parents[1] / 'examples'), 'HOME': folder,
                       'XDG_STATE_HOME': folder, 'XDG_CACHE_HOME': folder, 'XDG_DATA_HOME': folder, 'LC_ALL': 'C.UTF-8'}
        work = pathlib.Path(folder).resolve() / 'work'
        work.mkdir()
        done = subprocess.run(['nvim', '--headless', '-u', 'NONE', '-i', 'NONE', '-n', '-c', f'luafile {HERE}/neovim.lua', '-c', 'cquit 3'],
                              cwd=work, env=environment, capture_output=True, text=True, timeout=300, check=False)
        print(done.stderr + done.stdout)
        return done.returncode or (1 if 'FAIL' in done.stderr else 0)


if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(str(pathlib.Path(sys.argv[1]).resolve())))
