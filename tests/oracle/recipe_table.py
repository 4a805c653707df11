#!/usr/bin/env python3
"""Writes the tables of Megatron-Bridge's recipes, src/recipe/named/tables/<release>.yaml, from the recipe functions themselves.

    EPWISE_ORACLE=… python3 tests/oracle/recipe_table.py BRIDGE_GIT [RELEASE …]      # all of tables.TAGS if none is given

Needs the launch oracle (launch/), set up with these releases. BRIDGE_GIT: a git directory of Megatron-Bridge; releases before 0.6 keep their performance recipes in scripts/performance,
which is in no wheel. README.md beside this file tells the format and the limits.
"""
import json, os, pathlib, pickle, re, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent
GPUS = 'h100 b200 b300 gb200 gb300 vr200 r100'.split()


# ---- inside the oracle's environment: one release, every recipe as a tree -----------------------------------------------------

def inside(oracle, version, scripts):
    """Prints {"recipes": {name: tree}, "failed": {name: why}} as a pickle."""
    answers, sys.stdout = sys.stdout, sys.stderr
    sys.path.insert(0, oracle)
    import bridge as harness, fakes, yaml
    harness.start(version, ())
    fakes.HARDWARE.update(vr200=('NVIDIA VR200', (10, 7), 224, 4), r100=('NVIDIA R100', (10, 7), 224, 4))
    from transformers import AutoConfig, AutoTokenizer
    public = yaml.safe_load((HERE.parents[1] / 'src/recipe/models/public_models.yaml').read_text())['models']
    models = resolved_models({**public, **yaml.safe_load((HERE / 'model_configs.yaml').read_text())})
    offline_models(AutoConfig, models)
    import dump
    here = os.getcwd() + '/'
    recipes, failed, aliases = {}, {}, {}
    for name, hw, make in functions(version, scripts):
        fakes.machine.hw = hw
        same = aliases.get(make) if not hasattr(make, 'func') else None
        if same is not None:
            recipes[name] = same
            continue
        try: recipes[name] = dump.tree(make(), here)
        except BaseException as error:
            failed[name] = f'{type(error).__name__}: {" ".join(str(error).split())[:300]}'
            continue
        if not hasattr(make, 'func'): aliases[make] = name
    pickle.dump({'recipes': recipes, 'failed': failed}, answers.buffer)          # sets and floats as they are


def resolved_models(models):
    """`like` replaced by the values of the entry that it names."""
    def whole(name):
        entry = {key: value for key, value in models[name].items() if key != 'from'}
        base = entry.pop('like', None)
        return over(whole(base), entry) if base else entry
    def complete(config):
        """The encoder's output is as wide as the language model, which its class cannot know."""
        text = config.get('text_config') or {}
        wide = 'hidden_size' in text and str(config.get('model_type')).startswith(('qwen3_vl', 'qwen3_5', 'glm4v'))
        return over({'vision_config': {'out_hidden_size': text['hidden_size']}}, config) if wide else config
    return {name: complete(whole(name)) for name in models}


def over(base, changes):
    """`base` with the values of `changes`, also those of the mappings in it (text_config)."""
    return {**base, **{key: over(base[key], value) if isinstance(value, dict) and isinstance(base.get(key), dict) else value for key, value in changes.items()}}


def offline_models(AutoConfig, models):
    """AutoConfig.from_pretrained answers from `models`; any other id is an error, nothing is downloaded."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix='recipe_table.'))
    real = AutoConfig.from_pretrained.__func__
    def from_pretrained(cls, path, **kwargs):
        if str(path) not in models: raise ValueError(f'no configuration of {path} in model_configs.yaml (repository not found)')
        at = folder / str(path).replace('/', '--')
        if not at.exists():
            at.mkdir()
            (at / 'config.json').write_text(json.dumps(models[str(path)]))
        kwargs = {name: value for name, value in kwargs.items() if name not in ('revision', 'trust_remote_code')}
        config = real(cls, str(at), **kwargs)
        config._name_or_path = str(path)
        for name, value in models[str(path)].items():          # names that this version of transformers has given up
            if not hasattr(config, name): setattr(config, name, value)
        return config
    AutoConfig.from_pretrained = classmethod(from_pretrained)


def functions(version, scripts):
    """(name, GPU, function) of each recipe: performance recipes first, which win where both have a name."""
    import importlib, inspect, pkgutil
    import megatron.bridge.recipes as library
    found, names = [], set()
    def take(name, make):
        if name in names: return
        names.add(name)
        hw = next((gpu for gpu in sorted(GPUS, key=len, reverse=True) if f'_{gpu}_' in name), 'h100')
        found.append((name, hw, make))
    def from_module(module):
        for name, make in sorted(vars(module).items()):
            if name.endswith('_config') and not name.startswith('_') and inspect.isfunction(make):
                wanted = [p for p in inspect.signature(make).parameters.values() if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
                if not wanted: take(name, make)
    try: import megatron.bridge.perf_recipes as performance
    except ImportError: performance = None
    if performance is not None:
        for info in pkgutil.iter_modules(performance.__path__):
            if not info.ispkg: continue
            try: from_module(importlib.import_module(f'{performance.__name__}.{info.name}'))
            except Exception as error: print(f'megatron.bridge.perf_recipes.{info.name}: {error}', file=sys.stderr)
    else:
        for name, make in workloads(scripts): take(name, make)
    from_module(library)
    for info in pkgutil.iter_modules(library.__path__):
        if not info.ispkg: continue
        try: from_module(importlib.import_module(f'{library.__name__}.{info.name}'))
        except Exception as error: print(f'megatron.bridge.recipes.{info.name}: {error}', file=sys.stderr)
    return found


def workloads(scripts):
    """Before 0.6: the workload QWEN3_30B_A3B_PRETRAIN_CONFIG_H100_BF16_V1 is a function of GPU, precision and variant."""
    import functools, importlib, pkgutil
    sys.path.insert(0, scripts)
    import configs
    from utils.utils import WorkloadBaseConfig
    for info in pkgutil.iter_modules(configs.__path__):
        try: module = importlib.import_module(f'configs.{info.name}')
        except Exception as error:
            print(f'configs.{info.name}: {error}', file=sys.stderr)
            continue
        for name, value in sorted(vars(module).items()):
            parts = re.fullmatch(r'(\w+)_(PRETRAIN|SFT|PEFT|LORA)_CONFIG_([A-Z0-9]+)_(BF16|FP8_CS|FP8_MX|FP8_SC|NVFP4)(?:_(\w+))?', name)
            if not parts or not isinstance(value, WorkloadBaseConfig): continue
            model, task, gpu, precision, variant = (part.lower() if part else part for part in parts.groups())
            make = getattr(module, f'{model}_{task}_config_{gpu}', None)
            if make is None: continue
            yield name.lower(), functools.partial(workload, make, precision, variant, task, value.num_gpus)


def workload(make, precision, variant, task, gpus):
    """The recipe as get_perf_optimized_recipe gives it."""
    kwargs = {'precision': precision, **({'config_variant': variant} if variant else {})}
    config = make(**kwargs)
    config.epwise_gpus = gpus
    return config


# ---- outside: tables -----------------------------------------------------------------------------------------------------------

def extract(oracle, version, scripts):
    """What inside() says about one release."""
    folders, _, _ = oracle.VERSIONS['bridge'][version]
    environment = {name: os.environ[name] for name in ('PATH', 'HOME', 'LANG', 'TMPDIR', 'LD_LIBRARY_PATH') if name in os.environ}
    environment.update({
        'PYTHONPATH': os.pathsep.join(str(oracle.HOME / 'src' / name) for name in folders), 'PYTHONHASHSEED': '0', 'PYTHONDONTWRITEBYTECODE': '1',
        'HF_HUB_OFFLINE': '1', 'TRANSFORMERS_OFFLINE': '1', 'CUDA_VISIBLE_DEVICES': '', 'TORCHDYNAMO_DISABLE': '1', 'TORCH_CUDA_ARCH_LIST': '9.0',
        'TORCH_CPP_LOG_LEVEL': 'ERROR', 'COLUMNS': '200', 'WORLD_SIZE': '8', 'RANK': '0', 'LOCAL_RANK': '0'})
    command = [str(oracle.HOME / 'venv/bin/python'), str(HERE / 'recipe_table.py'), '--inside', str(pathlib.Path(oracle.__file__).parent), version, scripts]
    with open(f'{tempfile.gettempdir()}/recipe_table.{version}.log', 'w') as log:
        run = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=log)
    if run.returncode: sys.exit(f'{version}: failed, see {log.name}')
    return pickle.loads(run.stdout)


if __name__ == '__main__':
    if sys.argv[1:2] == ['--inside']:
        inside(*sys.argv[2:5])
    else:
        import tables
        tables.main(sys.argv[1:])
