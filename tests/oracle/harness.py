#!/usr/bin/env python3
"""Compares what epwise reads from commands of Megatron-Bridge's performance harness with what the harness itself makes of them.

    EPWISE_ORACLE=… python3 tests/oracle/harness.py BIN BRIDGE_GIT

Runs `run_script.py`'s own preparation of the configuration (release 0.6.2, harness of tag v0.6.0) inside the launch oracle's environment,
and `epwise diff` on its dump and the command. Prints the fields that differ; exit 1 if there are any that are not expected. Takes ten
seconds a command.
"""
import json, os, pathlib, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent
COMMANDS = '''
-m qwen -mr qwen3_30b_a3b -g h100 -ng 16 --max_steps 8 --config_variant v1 --cuda_graph_impl none --moe_flex_dispatcher_backend None --moe_a2a_overlap false --tokenizer_type NullTokenizer comm_overlap.delay_wgrad_compute=false
-m qwen -mr qwen3_30b_a3b -g h100 -ng 128
-m qwen -mr qwen3_235b_a22b -g gb300 -ng 256 -c fp8_mx -ep 32 -gb 4096
-m llama -mr llama3_70b -g gb200 -ng 64 -c fp8_cs -tp 4 -pp 2 -vp 4 -mb 2
-m llama -mr llama3_70b -g h100 -ng 32 --task sft -rl 4
-m llama -mr llama3_8b -g b200 -ng 8 -c fp8_mx --use_megatron_fsdp true
-m deepseek -mr deepseek_v3 -g h100 -ng 1024 --moe_flex_dispatcher_backend deepep --recompute_modules mla_up_proj,moe_act
-m gpt_oss -mr gpt_oss_120b -g b200 -ng 64 --moe_a2a_overlap true -cp 2
-m kimi -mr kimi_k2 -g gb300 -ng 256 -c fp8_mx --nccl_ub true
'''.strip().splitlines()
# The dump does not say the number of GPUs, on which comm_overlap depends; paths; what the harness sets for its own output.
EXPECTED = ('comm_overlap.data_parallel_size', 'ddp.bucket_size', 'ddp.overlap_', 'ddp.align_param_gather', 'optimizer.overlap_param_gather',
            'logger.save_config_filepath', 'checkpoint.load', 'tokenizer.hf_tokenizer_kwargs', 'env.NCCL_P2P_NET_CHUNKSIZE')


def inside(oracle, scripts, out, *argv):
    """Writes the configuration of a command as YAML."""
    sys.path[:0] = [oracle, str(HERE), scripts]
    import bridge as harness, fakes, yaml
    import recipe_table
    harness.start('0.6.2', ())
    fakes.machine.hw = argv[argv.index('-g') + 1]
    from transformers import AutoConfig
    public = yaml.safe_load((HERE.parents[1] / 'src/recipe/models/public_models.yaml').read_text())['models']
    models = {**public, **yaml.safe_load((HERE / 'model_configs.yaml').read_text())}
    recipe_table.offline_models(AutoConfig, recipe_table.resolved_models(models))
    import megatron.bridge, utils.utils as utilities, run_script
    utilities._PERF_RECIPES_ROOT = pathlib.Path(next(iter(megatron.bridge.__path__))) / 'perf_recipes'
    args, overrides = run_script.parse_cli_args().parse_known_args(list(argv))
    os.makedirs = lambda *args, **kwargs: None          # the harness wants /nemo_run
    recipe = run_script._prepare_perf_recipe(args, overrides)
    if args.compute_dtype == 'bf16' and recipe.optimizer.optimizer == 'adam': recipe.optimizer.use_precision_aware_optimizer = True
    recipe.to_yaml(out)


def compare(program, oracle, scripts, folder, command):
    """The fields that differ, or why there is no answer."""
    dump, script = folder / 'dump.yaml', folder / 'run.sh'
    dump.unlink(missing_ok=True)
    script.write_text(f'python scripts/performance/run_script.py {command}\n')
    environment = {name: os.environ[name] for name in ('PATH', 'HOME', 'LANG', 'TMPDIR') if name in os.environ}
    environment.update({
        'PYTHONPATH': os.pathsep.join(str(oracle.HOME / 'src' / name) for name in oracle.VERSIONS['bridge']['0.6.2'][0]), 'PYTHONDONTWRITEBYTECODE': '1',
        'HF_HUB_OFFLINE': '1', 'TRANSFORMERS_OFFLINE': '1', 'CUDA_VISIBLE_DEVICES': '', 'TORCHDYNAMO_DISABLE': '1', 'TORCH_CUDA_ARCH_LIST': '9.0',
        'WORLD_SIZE': '8', 'RANK': '0', 'LOCAL_RANK': '0'})
    run = subprocess.run([str(oracle.HOME / 'venv/bin/python'), str(HERE / 'harness.py'), '--inside', str(pathlib.Path(oracle.__file__).parent),
                          scripts, str(dump), *command.split()], env=environment, capture_output=True, text=True, cwd=folder)
    if not dump.exists(): return ['no answer of the harness: ' + run.stderr.strip().splitlines()[-1]]
    run = subprocess.run([program, 'diff', str(dump), str(script), '--stack', 'bridge=0.6.2,te=2.14.0,torch=2.9.1', '--format', 'json'],
                         capture_output=True, text=True)
    if not run.stdout: return [run.stderr.strip()]
    changes = json.loads(run.stdout)['changed']
    return [f"{change['field']}: {change['before']} -> {change['after']}" for change in changes if not change['field'].startswith(EXPECTED)]


def main(program, bridge_git):
    sys.path.insert(0, str(HERE / 'launch'))
    import oracle
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        archive = subprocess.Popen(['git', '--git-dir', bridge_git, 'archive', 'v0.6.0', 'scripts'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        subprocess.run(['tar', 'x', '-C', name], stdin=archive.stdout, check=True)
        for command in COMMANDS:
            differences = compare(program, oracle, f'{name}/scripts/performance', folder, command)
            wrong += bool(differences)
            print('differs' if differences else 'same   ', command, *differences, sep='\n    ' if differences else ' ')
    print(f'{len(COMMANDS) - wrong} of {len(COMMANDS)} commands are read as the harness reads them')
    return 1 if wrong else 0


if __name__ == '__main__':
    if sys.argv[1:2] == ['--inside']: inside(*sys.argv[2:])
    elif len(sys.argv) == 3: sys.exit(main(*sys.argv[1:]))
    else: sys.exit(__doc__)
