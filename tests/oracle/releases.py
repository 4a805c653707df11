#!/usr/bin/env python3
"""The launch oracle (launch/) for releases beside the ten that it lays out.

    EPWISE_ORACLE=… releases.py setup MEGATRON_LM_GIT [VERSION…]   what these releases consist of, under $EPWISE_ORACLE/src
    EPWISE_ORACLE=… releases.py bridge 0.5.1 …                      as oracle.py, whose words it takes
    EPWISE_ORACLE=… releases.py evidence DIR BRIDGE_GIT VERSION     recipes of that release of Megatron-Bridge, for differential.py

`evidence` makes DIR a copy of $EPWISE_EVIDENCE by links, with corpus/bridge/VERSION and vectors/bridge-VERSION.jsonl added: dumps of the
release's recipes that start. With EPWISE_EVIDENCE=DIR, differential.py --version VERSION draws its launches around them.

Megatron-Bridge and the Megatron-Core that it pins come from PyPI's wheels, Megatron-LM from its tag. differential.py asks this
script if --release names one of them.
"""
import ast, importlib.util, inspect, json, os, pathlib, re, subprocess, sys, tempfile, types, zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'tests/support'))
from evidence import EVIDENCE  # noqa: E402
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / 'tests/oracle/launch'))
import oracle  # noqa: E402

# Megatron-Bridge: the released Megatron-Core nearest to the commit that the tag's submodule names, and TransformerEngine.
BRIDGE = {'0.3.0': ('0.16.0', '2.10.0'), '0.3.1': ('0.16.1', '2.10.0'), '0.4.1': ('0.17.0', '2.13.0'),
          '0.4.2': ('0.17.1', '2.13.0'), '0.5.1': ('0.18.2', '2.14.0'), '0.6.0': ('0.19.0', '2.14.0'), '0.6.1': ('0.19.2', '2.14.0')}
# Megatron-LM: the tag; or a released Megatron-Core in front of the training code of a tag.
MEGATRON_LM = {**{tag: None for tag in ('0.12.3', '0.13.1', '0.14.0', '0.15.0', '0.15.1', '0.15.2', '0.16.0', '0.17.0', '0.18.0')},
               '0.19.2': ('0.19.2', '0.19.0')}
# Whose fields the program has, and releases that may have the same ones as their neighbour.
TABLES = {'bridge': ['0.3.0', '0.3.1', '0.4.0', '0.4.2', '0.5.0', '0.5.1', '0.6.2', 'head'],
          'mlm': ['0.12.3', '0.13.1', '0.14.0', '0.15.3', '0.16.1', '0.17.0', '0.17.1', '0.18.2', '0.19.0', 'head']}
SAME = {'bridge': {'0.4.1': '0.4.0', '0.6.0': '0.6.2', '0.6.1': '0.6.2'},
        'mlm': {'0.15.0': '0.15.3', '0.15.1': '0.15.3',
                '0.15.2': '0.15.3', '0.16.0': '0.16.1', '0.18.0': '0.18.2', '0.19.2': '0.19.0'}}
ENTRIES = ('megatron/', 'model_provider.py', 'pretrain_gpt.py', 'pretrain_hybrid.py', 'pretrain_mamba.py', 'gpt_builders.py', 'hybrid_builders.py', 'mamba_builders.py')


def known():
    for version, (core, te) in BRIDGE.items():
        oracle.VERSIONS['bridge'][version] = ([f'bridge-{version}', f'mcore-{core}'], te, '2.9.1')
    for version, parts in MEGATRON_LM.items():
        oracle.VERSIONS['mlm'][version] = ([f'mcore-{parts[0]}', f'mlm-{parts[1]}'] if parts else [f'mlm-{version}'], '2.14.0', '2.9.1')
    return oracle


def builders_of_older_releases():
    """After the oracle's start, which puts its stand-ins in place: what is imported before them lacks Transformer Engine."""
    import mlm
    start = mlm.start

    def started(version, sources):
        put_builders()
        put_ddp_statements(mlm)
        start(version, sources)
        put_parts_of_core()

    mlm.start = started


def put_builders():
    """Up to 0.14, the entry points build the model themselves; the oracle asks modules for it that later releases have."""
    for entry, module, model in ('pretrain_gpt', 'gpt_builders', 'GPTModel'), ('pretrain_mamba', 'mamba_builders', 'MambaModel'):
        if importlib.util.find_spec(module) or not importlib.util.find_spec(entry): continue
        made = sys.modules[module] = types.ModuleType(module)
        setattr(made, model, None)  # the oracle puts its recorder here

        def build(args, pre_process, post_process, vp_stage=None, config=None, made=made, entry=entry, model=model):
            program = importlib.import_module(entry)
            groups = importlib.import_module('megatron.core.process_groups_config')
            if not hasattr(groups, 'ProcessGroupCollection'): groups.ProcessGroupCollection = None  # then the oracle makes no dispatcher
            setattr(program, model, getattr(made, model))
            given = {'vp_stage': vp_stage} if 'vp_stage' in inspect.signature(program.model_provider).parameters else {}
            return program.model_provider(pre_process, post_process, **given)

        setattr(made, module.replace('builders', 'builder'), build)


def put_parts_of_core():
    core = importlib.import_module('megatron.core.config')
    if not hasattr(core, 'set_experimental_flag'): core.set_experimental_flag = lambda flag: None          # up to 0.12
    block = importlib.import_module('megatron.core.transformer.transformer_block')
    count = block.get_num_layers_to_build
    if len(inspect.signature(count).parameters) == 1: block.get_num_layers_to_build = lambda config, vp_stage=None: count(config)


def put_ddp_statements(mlm):
    found = mlm.ddp_statements

    def ddp_statements():
        """Up to 0.12, what makes the DDP config stands between other statements of get_model."""
        try: return found()
        except StopIteration: pass
        path = mlm.training.__file__
        get_model = next(node for node in ast.parse(pathlib.Path(path).read_text()).body if isinstance(node, ast.FunctionDef) and node.name == 'get_model')
        body = next(node.body for node in ast.walk(get_model) if isinstance(node, ast.If) and ast.unparse(node.test) == 'wrap_with_ddp')
        starts = next(at for at, node in enumerate(body) if ast.unparse(node) == 'kwargs = {}')
        ends = next(at for at, node in enumerate(body) if ast.unparse(node).startswith('ddp_config = '))
        return compile(ast.Module(body[starts:ends + 1], []), path, 'exec')

    mlm.ddp_statements = ddp_statements


def switches_of_older_releases():
    """Up to 0.3, Bridge calls dist.lazy_mpu_init lazy_init; the oracle reads it to know whether process groups are made."""
    import bridge
    start = bridge.start

    def started(version, sources):
        start(version, sources)
        made = bridge.config.DistributedInitConfig
        if 'lazy_init' in made.__dataclass_fields__: made.lazy_mpu_init = property(lambda self: self.lazy_init)

    bridge.start = started


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
    for version, parts in MEGATRON_LM.items():
        if versions and version not in versions: continue
        if parts: wheel('megatron-core', parts[0], source / f'mcore-{parts[0]}')
        else: from_git(git, f'core_v{version}', source / f'mlm-{version}')


def evidence(folder, git, version):
    """What differential.py reads: a copy of the data by links, with recipes of the release in it."""
    for path in EVIDENCE.iterdir():
        if path.name not in ('corpus', 'vectors') and not (folder / path.name).exists(): (folder / path.name).symlink_to(path)
    for path in (folder / 'corpus/bridge', folder / 'vectors'): path.mkdir(parents=True, exist_ok=True)
    for path in [*(EVIDENCE / 'corpus').glob('bridge/*'), *EVIDENCE.glob('corpus/*'), *EVIDENCE.glob('vectors/*')]:
        link = folder / path.relative_to(EVIDENCE)
        if path.name != 'bridge' and not link.exists(): link.symlink_to(path)
    print(f'{version}: {dumps(folder, lambda tag: git, version)} recipes that start')


def dumps(folder, git_of, version):
    """Dumps of the release's recipes that start, below corpus/ and vectors/ of the folder: every seventh performance recipe and every fourth
    of the library stand for the release. `git_of(tag)` is only asked where the recipes are in no wheel. Returns how many start."""
    import recipe_table, tables, yaml
    with tempfile.TemporaryDirectory() as scripts:
        if not (oracle.HOME / 'src' / f'bridge-{version}/megatron/bridge/perf_recipes').is_dir():
            tag = tables.TAGS.get(version, f'v{version}')
            archive = subprocess.Popen(['git', '-C', git_of(tag), 'archive', tag, 'scripts'], stdout=subprocess.PIPE)
            subprocess.run(['tar', 'x', '-C', scripts], stdin=archive.stdout, check=True)
        recipes = tables.followed(recipe_table.extract(known(), version, f'{scripts}/scripts/performance')['recipes'])
    corpus = folder / 'corpus/bridge' / version
    corpus.mkdir(parents=True, exist_ok=True)
    performance = sorted(name for name, tree in recipes.items() if tree.get('epwise_gpus'))
    cases = []
    for name in [*performance[::7], *sorted(recipes.keys() - set(performance))[::4]]:
        tree = dict(recipes[name])
        gpus = tree.pop('epwise_gpus', None)
        if isinstance(tree.get('peft'), dict): tree['peft'] = {key: value for key, value in tree['peft'].items() if not isinstance(value, set)}          # made while it runs
        path = corpus / f'{"perf" if gpus else "lib"}.{name}.yaml'
        path.write_text(yaml.safe_dump(tree, default_flow_style=False))
        hw = (re.search('_(h100|b200|b300|gb200|gb300)_', name) or [0, 'h100'])[1]
        model = tree['model'].get('transformer', tree['model'])
        parallel = [model.get(f'{kind}_parallel_size') or 1 for kind in ('tensor_model', 'pipeline_model', 'context', 'expert_model')]
        named = re.search(r'_(\d+)gpu_', name)
        gpus = gpus or (int(named[1]) if named else 0) or max(8, parallel[0] * parallel[1] * parallel[2], parallel[1] * parallel[3])
        cases.append({'base': str(path.relative_to(folder / 'corpus')), 'hw': hw, 'world_size': gpus})
    return starting(folder, 'bridge', version, cases)


def starting(folder, framework, version, cases):
    """Asks the oracle about recipes as they are and writes those that start to vectors/; the others are printed and taken away."""
    _, te, torch = known().VERSIONS[framework][version]
    cases = [{'id': f'{framework}-{version}/{number:05}', 'framework': framework, 'version': version, 'stack': {'te': te, 'torch': torch}, 'env': {}, 'set': {}, 'unset': [],
              **case} for number, case in enumerate(cases)]
    command = [sys.executable, __file__, framework, version, '--batch', '-', '--bases', str(folder / 'corpus')]
    run = subprocess.run(command, input='\n'.join(map(json.dumps, cases)), stdout=subprocess.PIPE, text=True, check=True)
    answers = {answer['id']: answer.get('expect') or {'message': answer.get('error')} for answer in map(json.loads, run.stdout.splitlines())}
    for case in cases:
        case['expect'] = answers.get(case['id'], {})
        if case['expect'].get('verdict') != 'starts':
            print(case['base'], case['world_size'], case['expect'].get('message'))
            (folder / 'corpus' / case['base']).unlink()
    cases = [case for case in cases if case['expect'].get('verdict') == 'starts']
    path = folder / 'vectors' / f'{framework}-{version}.jsonl'
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(''.join(json.dumps(case) + '\n' for case in cases))
    return len(cases)


def main(argv):
    known()
    if argv[:1] == ['evidence']:
        if len(argv) != 4: sys.exit('releases.py evidence DIR BRIDGE_GIT VERSION')
        return evidence(pathlib.Path(argv[1]).absolute(), argv[2], argv[3])
    if argv[:1] == ['setup']:
        if len(argv) < 2: sys.exit('releases.py setup MEGATRON_LM_GIT [VERSION…]')
        return setup(argv[1], argv[2:])
    oracle.__file__ = __file__  # the oracle starts itself again inside its environment
    if os.environ.get('EPWISE_ORACLE_INSIDE'): {'mlm': builders_of_older_releases, 'bridge': switches_of_older_releases}.get(argv[0], int)()
    return oracle.main(argv)


if __name__ == '__main__': sys.exit(main(sys.argv[1:]))
