#!/usr/bin/env python3
"""Writes tables/variables.yaml: the environment variables that libraries read, so that a misspelt one can be told (env/misspelt-variable).

    environment_names.py --git NVIDIA/nccl=DIR --git NVIDIA/TransformerEngine=DIR --packages SITE_PACKAGES

DIR is a git directory with the tags, SITE_PACKAGES a folder with torch, huggingface_hub, datasets and transformers. The list holds what any
release reads. NVSHMEM is left out: its sources put names together from parts. Those of CUDA's driver, which has no source, stand below.
"""
import argparse, datetime, pathlib, re, subprocess, textwrap

TABLE = pathlib.Path(__file__).resolve().parent / 'tables/variables.yaml'
# CUDA's driver and libraries: CUDA C++ Programming Guide, "CUDA Environment Variables"; cuBLAS documentation.
CUDA = """CUDA_AUTO_BOOST CUDA_BINARY_LOADER_THREAD_COUNT CUDA_CACHE_DISABLE CUDA_CACHE_MAXSIZE CUDA_CACHE_PATH CUDA_CHECKPOINT_OPTIONS
CUDA_COREDUMP_FILE CUDA_COREDUMP_GENERATION_FLAGS CUDA_COREDUMP_PIPE CUDA_COREDUMP_SHOW_PROGRESS CUDA_DEVICE_MAX_CONNECTIONS
CUDA_DEVICE_MAX_COPY_CONNECTIONS CUDA_DEVICE_ORDER CUDA_DEVICE_WAITS_ON_EXCEPTION CUDA_DISABLE_JIT CUDA_DISABLE_PTX_JIT
CUDA_DISABLE_PERF_BOOST CUDA_ENABLE_COREDUMP_ON_EXCEPTION CUDA_ENABLE_CPU_COREDUMP_ON_EXCEPTION CUDA_ENABLE_CRC_CHECK
CUDA_ENABLE_LIGHTWEIGHT_COREDUMP CUDA_ENABLE_USER_TRIGGERED_COREDUMP CUDA_FORCE_JIT CUDA_FORCE_PRELOAD_LIBRARIES CUDA_FORCE_PTX_JIT
CUDA_GRAPHS_USE_NODE_PRIORITY CUDA_HOME CUDA_INC_PATH CUDA_LAUNCH_BLOCKING CUDA_LIB_PATH CUDA_LOG_FILE CUDA_MANAGED_FORCE_DEVICE_ALLOC
CUDA_MODULE_DATA_LOADING CUDA_MODULE_LOADING CUDA_MPS_ACTIVE_THREAD_PERCENTAGE CUDA_MPS_CLIENT_PRIORITY
CUDA_MPS_ENABLE_PER_CTX_DEVICE_MULTIPROCESSOR_PARTITIONING CUDA_MPS_LOG_DIRECTORY CUDA_MPS_PINNED_DEVICE_MEM_LIMIT
CUDA_MPS_PIPE_DIRECTORY CUDA_PATH CUDA_ROOT CUDA_SCALE_LAUNCH_QUEUES CUDA_SDK_PATH CUDA_TEMPORARY_FOLDER CUDA_TOOLKIT_ROOT_DIR
CUDA_VERSION CUDA_VISIBLE_DEVICES CUDA_USER_COREDUMP""".split()


def git(folder, *words):
    return subprocess.run(['git', '--git-dir', folder, *words], capture_output=True, text=True, errors='replace').stdout


def of_git(folder, prefix, paths, tags, least):
    """Names that the sources of every release from `least` on and of the newest commit read as texts; all names with the prefix; the releases."""
    releases = [tag for tag in git(folder, 'tag').split()
                if re.fullmatch(tags, tag) and tuple(map(int, re.findall(r'\d+', tag)[:2])) >= least]
    read, every = set(), set()
    for commit in ['HEAD', *sorted(releases, key=lambda tag: [int(part) for part in re.findall(r'\d+', tag)])]:
        text = git(folder, 'grep', '-hE', rf'{prefix}[A-Z0-9_]+|{prefix}PARAM\(', commit, '--', *paths)
        read |= set(re.findall(rf'["\']({prefix}[A-Z0-9_]+)["\']', text))
        read |= {prefix + name for name in re.findall(rf'{prefix}PARAM\(\w+,\s*"(\w+)"', text)}
        every |= set(re.findall(rf'\b{prefix}[A-Z0-9_]+', text))
    return read, every, releases


def of_packages(site, folders, prefixes):
    """Names in the Python sources and the libraries of installed packages."""
    pattern, names = rf'\b(?:{prefixes})_[A-Z0-9_]{{2,}}\b', set()
    for folder in folders:
        for path in (site / folder).rglob('*'):
            if path.suffix == '.py' or '.so' in path.name:
                names |= {found.decode() for found in re.findall(pattern.encode(), path.read_bytes())}
    return names


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--git', action='append', default=[], metavar='OWNER/NAME=DIR')
    parser.add_argument('--packages', type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    repositories = dict(each.split('=', 1) for each in arguments.git)
    site = arguments.packages
    version = {name: next((re.sub(r'\.dist$', '', path.stem.split('-')[1]) for path in site.glob(f'{name}-*.dist-info')), '?')
               for name in ('torch', 'huggingface_hub')}
    code = ['*.cc', '*.c', '*.cpp', '*.cu', '*.cuh', '*.h', '*.hpp', '*.py', '*.md', '*.rst']
    nccl, nccl_words, releases = of_git(repositories['NVIDIA/nccl'], 'NCCL_', code, r'v2\.\d+\.\d+-1', (2, 18))
    engine, engine_words, versions = of_git(repositories['NVIDIA/TransformerEngine'], 'NVTE_', code, r'v\d+\.\d+', (1, 9))
    rows = [
        ('NCCL', ['NCCL_'], f'NVIDIA/nccl {releases[0]} to head, torch {version["torch"]}', nccl | of_packages(site, ['torch'], 'NCCL'), nccl_words),
        ('Transformer Engine', ['NVTE_'], f'NVIDIA/TransformerEngine {versions[0]} to head', engine, engine_words),
        ('PyTorch', ['TORCH_NCCL_', 'PYTORCH_', 'TORCHELASTIC_'], f'torch {version["torch"]}',
         of_packages(site, ['torch'], 'TORCH_NCCL|PYTORCH|TORCHELASTIC'), set()),
        ('Hugging Face', ['HF_'], f'huggingface_hub {version["huggingface_hub"]}',
         of_packages(site, ['huggingface_hub', 'datasets', 'transformers'], 'HF'), set()),
        ('CUDA', ['CUDA_'], 'CUDA C++ Programming Guide, CUDA Environment Variables', set(CUDA), set()),
    ]
    out = ['# Environment variables that libraries read, for env/misspelt-variable: `names`; and `others`, further words with their prefix that are not',
           '# mistakes. Made by environment_names.py, not edited by hand.', 'libraries:']
    for name, prefixes, source, names, words in rows:
        kept = {each for each in names if each.startswith(tuple(prefixes)) and not each.endswith('_')}
        out += [f'  - name: {name}', f'    prefixes: [{", ".join(prefixes)}]', f'    source: {source}', f'    date: "{datetime.date.today().isoformat()}"']
        out += listed('names', kept) + listed('others', {each for each in words if not each.endswith('_')} - kept)
    TABLE.write_text('\n'.join(out) + '\n')
    print({row[0]: (len(row[3]), len(row[4] - row[3])) for row in rows})


def listed(key, names):
    """The lines of a list."""
    if not names: return []
    return [f'    {key}: [', *textwrap.wrap(', '.join(sorted(names)), 138, initial_indent=' ' * 6, subsequent_indent=' ' * 6), '    ]']


if __name__ == '__main__': main()
