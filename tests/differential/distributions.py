"""How launches are drawn for differential.py beside the small changes of its own: `--distribution NAME`.

    crossover   two to eight fields of another recipe of the version, over all sections; sometimes a whole section, sometimes without fields
    bundle      two to five groups of features, each with all the fields that a user would set together
    kinds       a value of another kind: as text, real, negative, null, in a list, in other case; words that no choice has
    sections    sections that recipes seldom have, drawn from the fields of their classes; sections set to null or taken away
    sites       changes that aim at checks which the other distributions seldom reach (sites.yaml)
    mixed       all of them, a fifth each
    within      two to eight fields of one section, every section as often, among them those that recipes lack; sometimes the section is
                null, missing or of another type (Megatron-Bridge)
    cases       the hand-made launches of cases.yaml: each trips one check or just misses it

All of them also draw the surroundings: world size, device, Transformer Engine, environment.
"""
import pathlib, re, sys
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'tests/support'))
from evidence import EVIDENCE  # noqa: E402
LOADER = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)
NAMES = ['crossover', 'bundle', 'kinds', 'sections', 'sites']
DEVICES = ['h100', 'h200', 'b200', 'b300', 'gb200', 'gb300', 'a100']
WORLDS = [1, 2, 3, 4, 8, 12, 16, 32, 64, 96, 128, 256, 512, 1024, 1152]
TE = ['0.13.0', '1.3.0', '1.9.0', '2.0.0', '2.1.0', '2.3.0', '2.7.0', '2.8.0', '2.9.0', '2.10.0', '2.12.0', '2.14.0', '2.16.0.dev0', '2.20.0']
ENVIRONMENT = {'CUDA_DEVICE_MAX_CONNECTIONS': ['1', '8', '32', None], 'NVTE_FLASH_ATTN': ['0', '1'], 'NVTE_FUSED_ATTN': ['0', '1'], 'NCCL_ALGO': ['Ring', 'Tree', '^NVLS', 'NVLS'],
               'NVTE_ALLOW_NONDETERMINISTIC_ALGO': ['0', '1'], 'PYTORCH_CUDA_ALLOC_CONF': ['expandable_segments:True', None], 'NCCL_NVLS_ENABLE': ['0', '1'],
               'NVTE_CPU_OFFLOAD_V1': ['0', '1'], 'NVLINK_DOMAIN_SIZE': ['8', '72'], 'USE_MNNVL': ['0', '1'], 'NVTE_NORM_FWD_USE_CUDNN': ['1', None]}
# The oracle opens the files named in these fields, or its answer depends on more than the recipe.
ON_DISK = ('pretrained_checkpoint', 'per_dataset_sequences_path', 'hf_source_path', '_target_', 'exit_signal')
# What each section may be beside its usual class.
RARE = ['peft', 'nvrx_straggler', 'logger', 'tokenizer', 'ft', 'straggler', 'tensor_inspect', 'inprocess_restart', 'env_vars', 'rerun_state_machine', 'profiling', 'validation', 'rng', 'dist', 'checkpoint', 'dataset', 'scheduler', 'optimizer']


def leaves(tree, prefix=''):
    """{dotted path: value} of a tree; lists and empty mappings are values, and a section's class is one of its fields."""
    found = {}
    for name, value in tree.items():
        if isinstance(value, dict) and value and not {'_call_', '_partial_', '_args_'} & value.keys() and '.' not in str(name):
            found |= leaves(value, f'{prefix}{name}.')
        elif '.' not in str(name):
            found[f'{prefix}{name}'] = value
    return found


def confused(value, random):
    """The same value as people mistype it."""
    others = [None, 'None', 'null', '', {}, [], -1, 0, 1, True, False, 1.0, 'true', 'False', 'x']
    if isinstance(value, bool):
        others += [str(value), str(value).lower(), int(value), [value]] * 3
    elif isinstance(value, (int, float)):
        others += [str(value), float(value), -value, [value], value + 0.5, f'{value} '] * 3
    elif isinstance(value, str):
        others += [value.upper(), value.capitalize(), value.replace('_', '-'), value + ' ', [value], value[:-1], value + 'x'] * 2
    elif isinstance(value, list):
        others += [value * 2, value[:1], value + [None], [value], str(value), dict.fromkeys(map(str, value), 1), value[0] if value else 0] * 2
    return random.choice(others)


def surroundings(case, random):
    kind = random.random()
    if kind < 0.15:
        case['world_size'] = random.choice(WORLDS + [case['world_size'] * 2, max(1, case['world_size'] // 2), case['world_size'] + 1])
    elif kind < 0.22:
        case['hw'] = random.choice(DEVICES)
    elif kind < 0.32:
        case['stack'] = {**case['stack'], 'te': random.choice(TE)}
    elif kind < 0.42:
        name = random.choice(sorted(ENVIRONMENT))
        case['env'] = {**(case.get('env') or {}), name: random.choice(ENVIRONMENT[name])}


class Sites:
    """Changes at raise sites, from sites.yaml: each may draw some of its values, and half of them just miss."""

    def __init__(self, framework, version, order):
        rows = yaml.load((pathlib.Path(__file__).parent / 'sites.yaml').read_text(), LOADER)[framework]
        at = order.index(version)
        self.rows = [row for row in rows if order.index(str(row.get('since', order[0]))) <= at <= order.index(str(row.get('until', order[-1])))]

    def change(self, case, random):
        row = random.choice(self.rows)
        for name, choices in row['set'].items():
            case['set'][name] = random.choice(choices) if isinstance(choices, list) else choices
        case['site'] = row['site']
        for name in row.get('unset', []):
            case['set'].pop(name, None)
            case['unset'].append(name)


class Cases:
    """Hand-made launches, in the order of cases.yaml, each on a recipe drawn from those that the row asks for."""
    SURROUNDINGS = {'gpus': 'world_size', 'hw': 'hw'}

    def __init__(self, framework, version, order):
        rows = yaml.load((pathlib.Path(__file__).parent / 'cases.yaml').read_text(), LOADER)[framework]
        at = order.index(version)
        self.made = []
        for row in rows:
            if order.index(str(row.get('since', order[0]))) <= at <= order.index(str(row.get('until', order[-1]))):
                for kind in ('hit', 'miss'):
                    changes = row[kind] if isinstance(row[kind], list) else [row[kind]]
                    self.made += [(row['at'], kind, row.get('on', ''), change) for change in changes]

    def draw(self, number, stock, trees, random):
        at, kind, on, change = self.made[number % len(self.made)]
        parent = random.choice([one for one in stock if re.search(on, one['base'])] or stock)
        return parent, lambda case: self.change(case, trees(parent['base']), at, kind, change)

    @staticmethod
    def change(case, tree, at, kind, change):
        inner = (tree.get('model') or {}).get('transformer') if isinstance(tree.get('model'), dict) else None
        for name, value in change.items():
            if name == 'unset':
                case['unset'] += [one for one in value if one not in change]
                for one in value:
                    case['set'].pop(one, None)
            elif name == 'te':
                case['stack'] = {**case['stack'], 'te': value}
            elif name == 'env':
                case['env'] = {**(case.get('env') or {}), **value}
            elif name in Cases.SURROUNDINGS:
                case[Cases.SURROUNDINGS[name]] = value
            else:
                field = name.removeprefix('model.')
                path = f'model.transformer.{field}' if isinstance(inner, dict) and name != field and field in inner else name
                case['set'] = {other: kept for other, kept in case['set'].items() if not other.startswith(path + '.') and not path.startswith(other + '.')}
                case['set'][path] = value
        case['site'] = at
        case['unset'] = sorted(set(case['unset']) - set(case['set']))
        return kind


class Bridge:
    def __init__(self, version):
        table = yaml.load((ROOT / 'rules/vocabulary/bridge.yaml').read_text(), LOADER)
        order = [str(one) for one in table['versions']]
        at = order.index(version)
        holds = lambda entry: order.index(str(entry.get('since', order[0]))) <= at <= order.index(str(entry.get('until', order[-1])))
        self.classes = {}
        parents = {}
        for part in filter(holds, table['classes']):
            self.classes[part['class']] = {field['name']: field for field in part.get('fields') or [] if holds(field)}
            parents[part['class']] = (part.get('parent'), part.get('section'))
        for name in self.classes:
            parent = parents[name][0]
            while parent in self.classes:
                self.classes[name] = {**self.classes[parent], **self.classes[name]}
                parent = parents[parent][0]
        self.of_section = {}
        for section in filter(holds, table['sections']):
            self.of_section[section['name']] = [name for name, (_, other) in parents.items() if other == section['name'] and self.classes[name]] or [section['class']] if section.get('class') else []
        self.sites, self.cases = Sites('bridge', version, order), Cases('bridge', version, order)
        folder = EVIDENCE / 'corpus/bridge' / version
        self.trees = {path.name: yaml.load(path.read_text(), LOADER) for path in sorted(folder.glob('*.yaml'))}
        self.leaves = {name: leaves(tree) for name, tree in self.trees.items()}

        self.seen = {}
        for found in self.leaves.values():
            for path, value in found.items():
                values = self.seen.setdefault(path, [])
                if value not in values and not isinstance(value, set):  # a mapping of nulls, which is no JSON
                    values.append(value)

    def now(self, case, tree):
        found = leaves(tree)
        return {name: value for name, value in {**found, **case['set']}.items() if name not in case['unset']}

    def crossover(self, case, tree, random):
        for _ in range(random.choice([1, 1, 2])):
            donor = random.choice(sorted(self.trees))
            if random.random() < 0.15:
                name = random.choice([name for name in sorted(self.trees[donor]) if name not in ('_target_', 'model')])
                case['set'] = {path: value for path, value in case['set'].items() if not path.startswith(name + '.')}
                case['set'][name] = self.trees[donor][name]
                continue
            theirs, mine = self.leaves[donor], self.now(case, tree)
            differ = [name for name, value in theirs.items() if mine.get(name, case) != value and not name.endswith(ON_DISK) and '_target_' not in name]
            for name in random.sample(differ, min(len(differ), random.randint(2, 8))):
                if not any(path.startswith(name + '.') or name.startswith(path + '.') for path in case['set']):
                    case['set'][name] = theirs[name]
            if random.random() < 0.2:
                gone = [name for name in mine if name not in theirs and name.count('.') and not name.endswith('_target_') and name not in case['set']]
                case['unset'] += random.sample(gone, min(len(gone), random.randint(1, 3)))

    def bundle(self, case, tree, random):
        model = 'model.transformer.' if isinstance((tree.get('model') or {}).get('transformer'), dict) else 'model.'
        pick = random.choice
        tp, pp, cp, ep = pick([1, 2, 4, 8]), pick([1, 1, 2, 4]), pick([1, 1, 2]), pick([1, 2, 4, 8, 16])
        groups = {
            'layout': lambda: {model + 'tensor_model_parallel_size': tp, model + 'pipeline_model_parallel_size': pp, model + 'context_parallel_size': cp, model + 'expert_model_parallel_size': ep,
                               model + 'sequence_parallel': tp > 1, model + 'virtual_pipeline_model_parallel_size': pick([None, 2]) if pp > 1 else None,
                               model + 'expert_tensor_parallel_size': pick([None, 1, tp]), model + 'pipeline_model_parallel_layout': None},
            'overlap': lambda: {'comm_overlap.overlap_moe_expert_parallel_comm': True, 'comm_overlap.delay_wgrad_compute': pick([True, False]), model + 'moe_token_dispatcher_type': pick(['alltoall', 'flex', 'allgather']),
                                model + 'moe_shared_expert_overlap': pick([False, False, True]), model + 'recompute_granularity': pick([None, 'selective', 'full'])},
            'dispatcher': lambda: {model + 'moe_token_dispatcher_type': 'flex', model + 'moe_flex_dispatcher_backend': pick(['deepep', 'hybridep', None, 'ncclep']), model + 'moe_flex_dispatcher_num_sms': pick([None, 16, 21, 32]),
                                   model + 'moe_router_dtype': pick(['fp32', 'fp64', None])},
            'graphs': lambda: {model + 'cuda_graph_impl': pick(['none', 'local', 'transformer_engine', 'full_iteration']), model + 'cuda_graph_modules': pick([[], ['attn'], ['moe_router'], ['attn', 'moe_router', 'moe_preprocess'], ['moe'], ['mlp']]),
                               model + 'cuda_graph_scope': pick([None, [], ['attn'], 'full_iteration']), model + 'use_te_rng_tracker': pick([True, False]), 'rng.te_rng_tracker': pick([True, False]),
                               'rerun_state_machine.check_for_nan_in_loss': pick([True, False]), 'ddp.check_for_nan_in_grad': pick([True, False])},
            'precision': lambda: {'mixed_precision': pick(['bf16_mixed', 'bf16_with_mxfp8_mixed', 'bf16_with_fp8_current_scaling_mixed', 'bf16_with_fp8_delayed_scaling_mixed', 'bf16_with_nvfp4_mixed', 'bf16_with_fp8_subchannel_scaling_mixed', 'fp16_mixed'])},
            'recompute': lambda: {model + 'recompute_granularity': pick(['full', 'selective', None]), model + 'recompute_method': pick([None, 'uniform', 'block']), model + 'recompute_num_layers': pick([None, 1, 4]),
                                  model + 'recompute_modules': pick([None, ['core_attn'], ['moe_act', 'mlp'], ['layernorm', 'mla_up_proj'], ['moe'], ['shared_experts']])},
            'mtp': lambda: {model + 'mtp_num_layers': pick([None, 0, 1, 2]), model + 'mtp_loss_scaling_factor': 0.1, model + 'mtp_use_repeated_layer': pick([False, True])},
            'context': lambda: {model + 'context_parallel_size': pick([2, 4]), model + 'cp_comm_type': pick(['p2p', 'a2a', 'a2a+p2p', 'all_gather', None, ['p2p']]), model + 'hierarchical_context_parallel_sizes': pick([None, [2, 1], [2, 2]]),
                                model + 'calculate_per_token_loss': pick([True, False])},
            'fsdp': lambda: {'ddp.use_megatron_fsdp': True, 'dist.use_megatron_fsdp': pick([True, False]), 'ddp.data_parallel_sharding_strategy': pick(['optim_grads_params', 'optim', 'no_shard', 'optim_grads']),
                             'checkpoint.ckpt_format': pick(['fsdp_dtensor', 'torch_dist']), model + 'gradient_accumulation_fusion': pick([False, True]), 'ddp.nccl_ub': pick([False, True]), 'ddp.fsdp_double_buffer': pick([False, True]),
                             'ddp.average_in_collective': pick([False, True]), 'optimizer.use_precision_aware_optimizer': pick([False, True])},
            'offload': lambda: pick([{model + 'fine_grained_activation_offloading': True, model + 'offload_modules': pick([['moe_act'], ['core_attn', 'attn_proj'], [], ['expert_fc1']])},
                                     {model + 'cpu_offloading': True, model + 'cpu_offloading_num_layers': pick([1, 4, 0])}, {'optimizer.optimizer_cpu_offload': True, 'optimizer.optimizer_offload_fraction': pick([0.5, 1.0, 1.5])}]),
            'peft': lambda: {'peft': {'_target_': 'megatron.bridge.peft.' + pick(['lora.LoRA', 'canonical_lora.CanonicalLoRA', 'dora.DoRA']), 'dim': pick([8, 16, 0]), 'alpha': pick([16, 32]), 'dropout': pick([0.0, 0.1])},
                             'checkpoint.pretrained_checkpoint': pick([None, '/'])},
            'checkpoint': lambda: {'checkpoint.async_save': pick([True, False]), 'checkpoint.ckpt_format': pick(['torch_dist', 'fsdp_dtensor', 'zarr']), 'checkpoint.save': pick([None, '/nonexistent/save']), 'checkpoint.fully_parallel_save': pick([True, False]),
                                   'checkpoint.use_persistent_ckpt_worker': pick([True, False]), 'checkpoint.finetune': pick([True, False])},
            'schedule': lambda: pick([{'train.train_samples': pick([1024, 100000]), 'train.train_iters': pick([None, 100]), 'scheduler.lr_decay_samples': pick([None, 1000]), 'scheduler.lr_warmup_samples': pick([0, 10]), 'scheduler.lr_warmup_iters': pick([0, 10]), 'scheduler.lr_decay_iters': pick([None, 100])},
                                      {'train.train_iters': pick([1, 100, 10000]), 'scheduler.lr_warmup_iters': pick([0, 10, 200]), 'scheduler.lr_warmup_fraction': pick([None, 0.1]), 'scheduler.lr_decay_iters': pick([None, 50, 100])}]),
            'router': lambda: {model + 'moe_router_topk': pick([1, 2, 8]), model + 'moe_router_score_function': pick(['softmax', 'sigmoid', 'sqrtsoftplus']), model + 'moe_router_pre_softmax': pick([True, False]), model + 'moe_router_enable_expert_bias': pick([True, False]),
                               model + 'moe_router_load_balancing_type': pick(['aux_loss', 'seq_aux_loss', 'none', 'sinkhorn', ['aux_loss', 'global_aux_loss']]), model + 'moe_aux_loss_coeff': pick([0.0, 0.001, [0.1, 0.1]])},
            'batch': lambda: {'train.micro_batch_size': pick([1, 2, 4]), 'train.global_batch_size': pick([8, 32, 96, 512, 1000])},
            'comm': lambda: {'comm_overlap.tp_comm_overlap': pick([True, False]), 'ddp.overlap_grad_reduce': pick([True, False]), 'ddp.overlap_param_gather': pick([True, False]), 'ddp.use_distributed_optimizer': pick([True, False]),
                             'optimizer.use_distributed_optimizer': pick([True, False]), 'comm_overlap.overlap_param_gather_with_optimizer_step': pick([None, True])},
        }
        for name in random.sample(sorted(groups), random.randint(2, 5)):
            case['set'].update(groups[name]())
        if random.random() < 0.5:
            case['world_size'] = tp * pp * cp * pick([1, 2, ep, ep])
        if isinstance(case['set'].get('mixed_precision'), str):
            case['set'] = {name: value for name, value in case['set'].items() if not name.startswith('mixed_precision.')}
        if not isinstance(tree.get('comm_overlap'), dict):
            case['set'] = {name: value for name, value in case['set'].items() if not name.startswith('comm_overlap.')}

    def kinds(self, case, tree, random):
        present = self.now(case, tree)
        for _ in range(random.choice([1, 1, 1, 2])):
            name = random.choice(sorted(name for name in present if not name.endswith(ON_DISK) and '_target_' not in name))
            case['set'][name] = confused(present[name], random)

    def drawn(self, field, random):
        kind, default = field['type'].rstrip('?'), field.get('default')
        if random.random() < 0.15:
            return confused(default, random)
        if field.get('choices'):
            return random.choice(field['choices'])
        if kind == 'bool':
            return random.random() < 0.5
        if kind == 'int':
            return random.choice([0, 1, 2, 8, 16, -1, default])
        if kind == 'number':
            return random.choice([0.0, 0.1, 0.5, 1.0, 1.5, -0.5, default])
        if kind == 'text':
            return random.choice(['abc', default, default])
        return random.choice([default, default, [], None])

    def sections(self, case, tree, random):
        name = random.choice([one for one in RARE if one in self.of_section or one in tree])
        kind = random.random()
        if kind < 0.12:
            case['set'][name] = None
        elif kind < 0.2:
            case['unset'].append(name)
        elif kind < 0.24:
            case['unset'].append('_target_')
        elif name == 'env_vars':
            case['set'][name] = random.choice([None, {}, {'': 1}, {'A=B': 1}, {'NCCL_DEBUG': 'INFO'}, {'X': None}, {'X': True}, {'X': [1]}, [], 'A=1', {'CUDA_DEVICE_MAX_CONNECTIONS': 32}])
        else:
            present = tree.get(name) if isinstance(tree.get(name), dict) else None
            usual = (present or {}).get('_target_')
            target = usual if usual in self.classes and random.random() < 0.8 else random.choice(self.of_section.get(name) or [usual])
            fields = {one: field for one, field in self.classes.get(target, {}).items() if one not in ON_DISK}
            chosen = random.sample(sorted(fields), min(len(fields), random.randint(1, 4)))
            values = {one: self.drawn(fields[one], random) for one in chosen}
            if present and target == usual and not any(path == name for path in case['set']):
                case['set'].update({f'{name}.{one}': value for one, value in values.items()})
            else:
                case['set'] = {path: value for path, value in case['set'].items() if not path.startswith(name + '.')}
                case['set'][name] = {'_target_': target, **values}
            if random.random() < 0.1 and present:
                case['unset'].append(f'{name}.{random.choice(sorted(present))}')
        case['unset'] = [path for path in case['unset'] if path not in case['set']]

    def within(self, case, tree, random):
        name = random.choice(sorted({*self.of_section, 'env_vars'} & {*tree, *self.of_section}))
        case['section'] = name
        present = tree.get(name) if isinstance(tree.get(name), dict) else None
        kind = random.random()
        if kind < 0.14:
            case['set'] = {path: value for path, value in case['set'].items() if not path.startswith(name + '.')}
            if kind < 0.04:
                case['unset'].append(name)
            else:
                case['set'][name] = None if kind < 0.09 else random.choice([[], {}, 'x', '', 1, 0, True, False, [1], 1.5])
            return
        if name == 'env_vars':
            case['set'][name] = {random.choice(['NCCL_DEBUG', 'A', 'CUDA_DEVICE_MAX_CONNECTIONS', '', 'X=Y', 1]): random.choice(['1', 1, 1.5, True, None, [], {}, '', 'INFO']) for _ in range(random.randint(1, 3))}
            return
        usual = (present or {}).get('_target_')
        prefix = name
        if name == 'model' and isinstance((present or {}).get('transformer'), dict) and random.random() < 0.8:
            prefix, usual, present = 'model.transformer', present['transformer'].get('_target_'), present['transformer']
        target = usual if usual in self.classes and (name == 'model' or random.random() < 0.75) else random.choice(self.of_section.get(name) or [usual])
        fields = {one: field for one, field in self.classes.get(target, {}).items() if one not in ON_DISK}
        chosen = random.sample(sorted(fields), min(len(fields), random.randint(2, 8)))
        values = {}
        for one in chosen:
            seen = self.seen.get(f'{prefix}.{one}')
            values[one] = random.choice(seen) if seen and random.random() < 0.6 else self.drawn(fields[one], random)
        if present and target == usual and name not in case['set']:
            case['set'].update({f'{prefix}.{one}': value for one, value in values.items()})
            return
        needed = {one: random.choice(self.seen.get(f'{prefix}.{one}') or [1]) for one, field in fields.items() if field.get('required') and random.random() < 0.95}
        case['set'] = {path: value for path, value in case['set'].items() if not path.startswith(name + '.')}
        case['set'][name] = {**({'_target_': target} if target else {}), **needed, **values}


class MegatronLm:
    # See differential.py.
    def __init__(self, version, told):
        table = yaml.load((ROOT / 'rules/vocabulary/mlm.yaml').read_text(), LOADER)
        order = [str(one) for one in table['versions']]
        self.sites, self.cases = Sites('mlm', version, order), Cases('mlm', version, order)
        self.maker = told
        self.flags = [flag for flag in told.flags if not flag['flags'][0].startswith(told.ELSEWHERE)]
        self.trees = {}
        for path in sorted((EVIDENCE / 'corpus/megatron-lm').glob('*.yaml')):
            tree = yaml.load(path.read_text(), LOADER)
            if isinstance(tree, dict) and isinstance(tree.get('MODEL_ARGS'), dict):
                self.trees[path.name] = tree['MODEL_ARGS']
        self.names = {name for flag in told.flags for name in flag['flags']}

    def ours(self, flag):
        return flag in self.names and not flag.startswith(self.maker.ELSEWHERE + self.maker.PROGRAM)

    def crossover(self, case, tree, random):
        mine = {**tree.get('MODEL_ARGS', {}), **case['set']}
        for _ in range(random.choice([1, 1, 2])):
            theirs = self.trees[random.choice(sorted(self.trees))]
            differ = [flag for flag, value in theirs.items() if mine.get(flag, case) != value and self.ours(flag)]
            for flag in random.sample(differ, min(len(differ), random.randint(2, 8))):
                if '$' not in str(theirs[flag]):
                    case['set'][flag] = theirs[flag]
            if random.random() < 0.3:
                gone = [flag for flag in mine if flag not in theirs and self.ours(flag) and flag not in case['set']]
                case['unset'] += random.sample(gone, min(len(gone), random.randint(1, 3)))

    def bundle(self, case, tree, random):
        pick = random.choice
        tp, pp, cp, ep = pick([1, 2, 4, 8]), pick([1, 1, 2, 4]), pick([1, 1, 2]), pick([1, 2, 4, 8])
        groups = {
            'layout': lambda: {'--tensor-model-parallel-size': tp, '--pipeline-model-parallel-size': pp, '--context-parallel-size': cp, '--expert-model-parallel-size': ep} | ({'--sequence-parallel': True} if tp > 1 else {}) | ({'--num-layers-per-virtual-pipeline-stage': pick([1, 2])} if pp > 1 and pick([0, 1]) else {}),
            'moe': lambda: {'--num-experts': pick([4, 8, 16, 64]), '--moe-router-topk': pick([1, 2, 8]), '--moe-token-dispatcher-type': pick(['alltoall', 'allgather', 'flex']), '--moe-grouped-gemm': True, '--moe-router-load-balancing-type': pick(['aux_loss', 'sinkhorn', 'none', 'seq_aux_loss'])},
            'overlap': lambda: {'--overlap-moe-expert-parallel-comm': True, '--moe-token-dispatcher-type': pick(['alltoall', 'flex'])} | pick([{}, {'--delay-wgrad-compute': True}]),
            'precision': lambda: pick([{'--bf16': True}, {'--fp16': True}, {'--bf16': True, '--fp8-format': pick(['hybrid', 'e4m3']), '--fp8-recipe': pick(['delayed', 'tensorwise', 'blockwise', 'mxfp8'])} | pick([{}, {'--fp8-param-gather': True}])]),
            'recompute': lambda: pick([{'--recompute-granularity': 'full', '--recompute-method': pick(['uniform', 'block']), '--recompute-num-layers': pick([1, 2])}, {'--recompute-granularity': 'selective', '--recompute-modules': pick(['core_attn', ['moe_act', 'layernorm'], 'mlp'])}, {'--recompute-activations': True}]),
            'mtp': lambda: {'--mtp-num-layers': pick([1, 2]), '--mtp-loss-scaling-factor': 0.1},
            'graphs': lambda: pick([{'--cuda-graph-impl': pick(['local', 'transformer_engine', 'none']), '--te-rng-tracker': True}, {'--enable-cuda-graph': True}, {'--cuda-graph-impl': 'local', '--cuda-graph-scope': pick(['attn', 'full_iteration', ['moe_router', 'attn']])}]),
            'optimizer': lambda: {'--use-distributed-optimizer': True, '--overlap-grad-reduce': True, '--overlap-param-gather': True} | pick([{}, {'--use-precision-aware-optimizer': True, '--main-grads-dtype': pick(['fp32', 'bf16'])}, {'--optimizer-cpu-offload': True}]),
            'fsdp': lambda: pick([{'--use-megatron-fsdp': True, '--data-parallel-sharding-strategy': pick(['optim_grads_params', 'optim']), '--no-gradient-accumulation-fusion': True, '--ckpt-format': pick(['fsdp_dtensor', 'torch_dist'])}, {'--use-torch-fsdp2': True, '--no-gradient-accumulation-fusion': True}]),
            'context': lambda: {'--context-parallel-size': pick([2, 4]), '--cp-comm-type': pick(['p2p', 'a2a', 'a2a+p2p', 'allgather'])},
            'batch': lambda: {'--micro-batch-size': pick([1, 2, 4]), '--global-batch-size': pick([8, 32, 96, 1000])},
            'schedule': lambda: pick([{'--train-samples': 10000, '--lr-decay-samples': 5000}, {'--train-iters': 50, '--lr-warmup-iters': pick([5, 100])}, {'--lr-warmup-fraction': 0.1}, {'--rampup-batch-size': [8, 8, 1000]}]),
            'attention': lambda: pick([{'--multi-latent-attention': True}, {'--group-query-attention': True, '--num-query-groups': pick([2, 3, 8])}, {'--attention-backend': pick(['flash', 'fused', 'unfused', 'local'])}, {'--qk-layernorm': True}, {'--position-embedding-type': pick(['rope', 'none', 'yarn', 'mrope'])}]),
        }
        for name in random.sample(sorted(groups), random.randint(2, 5)):
            case['set'].update({flag: value for flag, value in groups[name]().items() if flag in self.names})
        if random.random() < 0.5:
            case['world_size'] = tp * pp * cp * pick([1, 2, ep])

    def kinds(self, case, tree, random):
        for _ in range(random.choice([1, 1, 2])):
            present = [flag for flag in tree.get('MODEL_ARGS', {}) if self.ours(flag)]
            flag = random.choice(self.flags)['flags'][0] if not present or random.random() < 0.6 else random.choice(sorted(present))
            if not self.ours(flag):
                continue
            value = confused({**tree.get('MODEL_ARGS', {}), **case['set']}.get(flag, random.choice([1, 0.5, 'x', True])), random)
            case['set'][flag] = value

    def sections(self, case, tree, random):
        """Flags that no rule reads: words that they have, and words that they lack."""
        for flag in random.sample(self.flags, random.randint(1, 3)):
            name = flag['flags'][0]
            if not self.ours(name):
                continue
            if flag.get('action', 'store') != 'store':
                case['set'][name] = True
            elif flag.get('choices'):
                case['set'][name] = random.choice(flag['choices'] * 3 + ['None', 'wrong', '{}'])
            else:
                case['set'][name] = random.choice([0, 1, 2, -1, 0.5, 'x', 16])


def as_written(case):
    if case['framework'] == 'mlm':  # how a list stands in the recipes of the functional tests
        case['set'] = {flag: f"[{' '.join(map(str, value))}]" if isinstance(value, list) and value else value for flag, value in case['set'].items()}


def draw(name, made, case, tree, random):
    """Changes one case by the distribution; returns the name of what was drawn."""
    chosen = random.choice(NAMES) if name == 'mixed' else name
    if chosen == 'sites':
        made.sites.change(case, random)
    else:
        getattr(made, chosen)(case, tree, random)
    surroundings(case, random)
    as_written(case)
    case['unset'] = sorted(set(case['unset']) - set(case['set']))
    return chosen
