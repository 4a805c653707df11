#!/usr/bin/env python3
"""Writes src/recipe/models/public_models.yaml: architecture numbers of public models, in the words of their config.json.

    python3 tests/oracle/public_models.py AICONFIGURATOR_GIT [--check]

AICONFIGURATOR_GIT: a git directory of ai-dynamo/aiconfigurator, which keeps config.json of many models as published. Entries of the
file whose `from` is another source stay as they are; those of aiconfigurator are written anew. --check writes nothing and exits with
1 if the file would change.
"""
import json, pathlib, re, subprocess, sys

import yaml

FILE = pathlib.Path(__file__).resolve().parents[2] / 'src/recipe/models/public_models.yaml'
# What Megatron's fields, or Megatron-Bridge's readers of config.json, are made from.
KEYS = '''model_type architectures hidden_size intermediate_size num_hidden_layers num_attention_heads num_key_value_heads head_dim
vocab_size max_position_embeddings rms_norm_eps layer_norm_epsilon norm_eps rope_theta rope_scaling rope_parameters tie_word_embeddings
attention_bias attention_dropout hidden_act hidden_activation initializer_range torch_dtype dtype partial_rotary_factor sliding_window
num_experts num_local_experts n_routed_experts num_experts_per_tok moe_intermediate_size shared_expert_intermediate_size
moe_shared_expert_intermediate_size n_shared_experts num_shared_experts norm_topk_prob router_aux_loss_coef aux_loss_alpha seq_aux
decoder_sparse_step mlp_only_layers first_k_dense_replace moe_layer_freq interleave_moe_layer_step intermediate_size_mlp
num_nextn_predict_layers mtp_num_hidden_layers num_mtp_modules use_mtp mtp_transformer_layers
n_group topk_group routed_scaling_factor scoring_func topk_method use_routing_bias use_qk_norm qk_norm_type rotary_dim
q_lora_rank kv_lora_rank qk_nope_head_dim qk_rope_head_dim qk_head_dim v_head_dim index_head_dim index_n_heads index_topk
layer_types mlp_layer_types full_attention_interval linear_conv_kernel_dim linear_key_head_dim linear_value_head_dim
linear_num_key_heads linear_num_value_heads attn_output_gate swiglu_limit moe_latent_size
hybrid_override_pattern layers_block_type mtp_hybrid_override_pattern mamba_num_heads mamba_head_dim n_groups ssm_state_size
conv_kernel chunk_size expand mlp_hidden_act mamba_hidden_act use_bias use_conv_bias mlp_bias mamba_proj_bias
num_hash_layers o_groups o_lora_rank compress_ratios hc_mult query_pre_attn_scalar attn_logit_softcapping
final_logit_softcapping'''.split()
QUANTISED = re.compile(r'-(NVFP4|FP8)\b')


def git(folder, *words):
    return subprocess.run(['git', '--git-dir', folder, *words], capture_output=True, text=True, check=True).stdout


def reduced(config):
    kept = {key: config[key] for key in KEYS if key in config and config[key] is not None}
    text = config.get('text_config')
    if isinstance(text, dict):
        kept['text_config'] = {key: text[key] for key in KEYS if key in text and text[key] is not None}
    for each in (kept, kept.get('text_config', {})):
        types = each.get('layer_types')
        if each.get('full_attention_interval') and types:           # the interval says it
            del each['layer_types']
    return kept


def published(folder):
    """{model id: reduced config}: a quantised repackaging only where the original is absent."""
    paths = [path for path in git(folder, 'ls-tree', '-r', '--name-only', 'HEAD').splitlines()
             if '/model_configs/' in path and path.endswith('_config.json') and 'hf_quant' not in path]
    names = {pathlib.PurePath(path).name[:-len('_config.json')].replace('--', '/', 1): path for path in paths}
    originals = {name.split('/')[1] for name in names if not QUANTISED.search(name)}
    found = {}
    for name, path in sorted(names.items()):
        plain = QUANTISED.split(name)[0]
        if plain != name and (plain.split('/')[1] in originals or 'Static' in name):
            continue
        config = json.loads(git(folder, 'show', f'HEAD:{path}'))
        if config.get('model_type') in ('deepseek_ref', 'kimi_k3', 'nemotron-nas'):  # not in the words of transformers
            continue
        found[name if plain == name or plain.startswith('nvidia/NVIDIA') else name] = reduced(config)
    return found


def flow(value):
    return yaml.safe_dump(value, default_flow_style=True, width=10 ** 9, sort_keys=False).strip().removesuffix('\n...')


def page(document):
    head = ''.join(f'# {line}\n' for line in (
        'Public models by their id on the Hugging Face hub: the numbers of their config.json from which Megatron\'s fields are made.',
        '`from` names a source below; `like` takes another entry\'s numbers. tests/oracle/public_models.py writes those of aiconfigurator.'))
    sources = ''.join(f'  {name}: {flow(source)}\n' for name, source in document['sources'].items())
    models = ''.join(f'  {name}: {flow(entry)}\n' for name, entry in sorted(document['models'].items(), key=lambda item: item[0].lower()))
    return f'{head}\nsources:\n{sources}\nmodels:\n{models}'


def main():
    folder = sys.argv[1]
    document = yaml.safe_load(FILE.read_text())
    others = {name: entry for name, entry in document['models'].items() if entry['from'] != 'aiconfigurator'}
    theirs = {name: {'from': 'aiconfigurator', **config} for name, config in published(folder).items()}
    document['models'] = {**others, **theirs}
    commit, date = git(folder, 'log', '-1', '--format=%h %cs').split()
    document['sources']['aiconfigurator'] = {'source': f'ai-dynamo/aiconfigurator@{commit}: config.json as published', 'date': date, 'status': 'published'}
    text = page(document)
    if '--check' in sys.argv:
        return text != FILE.read_text()
    FILE.write_text(text)
    print(f'{len(theirs)} models of aiconfigurator, {len([n for n in others if n not in theirs])} others: {FILE}')
    return 0


if __name__ == '__main__':
    sys.exit(main())
