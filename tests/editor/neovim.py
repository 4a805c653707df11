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
        return done.returncode or (1 if 'FAIL' in done.stderr else 0) or follow_the_documentation(binary, work, environment)


def follow_the_documentation(binary, work, environment):
    """The lines for init.lua in docs/editor.md: one server for three files, a job script among them."""
    page = (HERE.parents[1] / 'docs/editor.md').read_text()
    work.joinpath('init.lua').write_text(page.split('```lua\n')[1].split('```')[0])
    work.joinpath('bin').mkdir()
    work.joinpath('bin/epwise').symlink_to(binary)
    for name in ('a.yaml', 'b.yaml', 'c.sbatch'):
        work.joinpath(name).write_text('model: {num_layers: 4}\n')
    count = ('lua local all = vim.lsp.get_active_clients() local files = 0 for _, buffer in ipairs(vim.api.nvim_list_bufs()) do '
             'files = files + (vim.lsp.buf_is_attached(buffer, all[1].id) and 1 or 0) end print(#all .. " clients, " .. files .. " files")')
    done = subprocess.run(['nvim', '--headless', '-u', 'init.lua', '-i', 'NONE', '-n', 'a.yaml', '-c', 'edit b.yaml', '-c', 'edit c.sbatch', '-c', 'sleep 1', '-c', count,
                           '-c', 'qall!'], cwd=work, capture_output=True, text=True, timeout=60, check=False,
                          env={**environment, 'PATH': f'{work}/bin:{environment["PATH"]}'})
    print(done.stderr + done.stdout)
    return 0 if '1 clients, 3 files' in done.stderr + done.stdout else 1


if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(str(pathlib.Path(sys.argv[1]).resolve())))
