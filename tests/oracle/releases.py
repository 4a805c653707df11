#!/usr/bin/env python3
"""The launch oracle (tests/README.md, "Data that is not in the repository") for releases beside the ten that it lays out.

    EPWISE_ORACLE=… releases.py setup MEGATRON_LM_GIT [VERSION…]   what these releases consist of, under $EPWISE_ORACLE/src
    EPWISE_ORACLE=… releases.py bridge 0.5.1 …                      as oracle.py, whose words it takes

Megatron-Bridge and the Megatron-Core that it pins come from PyPI's wheels, Megatron-LM from its tag. differential.py asks this
script if --release names one of them.
"""
import pathlib, subprocess, sys, zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'tests/support'))
from evidence import EVIDENCE  # noqa: E402
sys.dont_write_bytecode = True
sys.path.insert(0, str(EVIDENCE / 'oracle'))
import oracle  # noqa: E402

# Megatron-Bridge: the released Megatron-Core nearest to the commit that the tag's submodule names, and TransformerEngine.
BRIDGE = {'0.3.1': ('0.16.1', '2.10.0'), '0.4.2': ('0.17.1', '2.13.0'), '0.5.1': ('0.18.2', '2.14.0'), '0.6.0': ('0.19.0', '2.14.0')}
TABLES = {'bridge': ['0.4.0', '0.4.2', '0.5.0', '0.5.1', '0.6.2', 'head'], 'mlm': ['0.15.3', '0.16.1', '0.17.1', '0.18.2', '0.19.0', 'head']}  # whose fields the program has
MEGATRON_LM = ['0.14.0', '0.16.0', '0.17.0', '0.18.0']
ENTRIES = ('megatron/', 'model_provider.py', 'pretrain_gpt.py', 'pretrain_hybrid.py', 'pretrain_mamba.py', 'gpt_builders.py', 'hybrid_builders.py', 'mamba_builders.py')


def known():
    for version, (core, te) in BRIDGE.items():
        oracle.VERSIONS['bridge'][version] = ([f'bridge-{version}', f'mcore-{core}'], te, '2.9.1')
    for version in MEGATRON_LM:
        oracle.VERSIONS['mlm'][version] = ([f'mlm-{version}'], '2.14.0', '2.9.1')
    return oracle


def wheel(name, version, folder):
    """A released wheel, unpacked and not installed, so that releases can stand side by side."""
    if folder.exists(): return
    wheels = oracle.HOME / 'wheels'
    subprocess.run([oracle.HOME / 'venv/bin/python', '-m', 'pip', 'download', '--quiet', '--no-deps', '--ignore-requires-python', '--only-binary', ':all:',
                    '-d', wheels, f'{name}=={version}'], check=True)
    part = folder.with_suffix('.part')
    zipfile.ZipFile(next(wheels.glob(f'{name.replace("-", "_")}-{version}-*.whl'))).extractall(part)
    part.rename(folder)


def from_git(git, commit, folder):
    """The files of a commit below ENTRIES, one by one: a partial clone can lack others, which `git archive` would ask for."""
    if folder.exists(): return
    part = folder.with_suffix('.part')
    run = lambda *words: subprocess.run(['git', '-C', git, *words], capture_output=True, check=True).stdout
    for path in run('ls-tree', '-r', '--name-only', '-z', commit).decode().split('\0'):
        if not path.startswith(ENTRIES): continue
        try: content = run('cat-file', 'blob', f'{commit}:{path}')
        except subprocess.CalledProcessError: print(f'{folder.name}: {path} is not in {git}'); continue
        (part / path).parent.mkdir(parents=True, exist_ok=True)
        (part / path).write_bytes(content)
    part.rename(folder)


def setup(git, versions):
    source = oracle.HOME / 'src'
    for version, (core, _) in BRIDGE.items():
        if versions and version not in versions: continue
        wheel('megatron-bridge', version, source / f'bridge-{version}')
        wheel('megatron-core', core, source / f'mcore-{core}')
    for version in MEGATRON_LM:
        if not versions or version in versions: from_git(git, f'core_v{version}', source / f'mlm-{version}')


def main(argv):
    known()
    if argv[:1] == ['setup']:
        if len(argv) < 2: sys.exit('releases.py setup MEGATRON_LM_GIT [VERSION…]')
        return setup(argv[1], argv[2:])
    oracle.__file__ = __file__  # the oracle starts itself again inside its environment
    return oracle.main(argv)


if __name__ == '__main__': sys.exit(main(sys.argv[1:]))
