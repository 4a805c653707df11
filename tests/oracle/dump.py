"""A configuration of Megatron-Bridge as a tree of plain values, as its own to_yaml writes it. Runs inside the oracle's
environment (recipe_table.py)."""
import dataclasses, sys
import yaml


def representers():
    """Bridge's own way to write functions, dtypes and enums; its place differs between releases."""
    for name in ('megatron.training.config.yaml_utils', 'megatron.bridge.utils.yaml_utils', 'megatron.bridge.training.utils.yaml_utils'):
        try: return __import__(name, fromlist=['safe_yaml_representers']).safe_yaml_representers
        except (ImportError, AttributeError): pass
    sys.exit('safe_yaml_representers is at none of the known places')


safe_yaml_representers = representers()


def target(value):
    return f'{type(value).__module__}.{type(value).__qualname__}'


def reduced(value):
    """The value with objects as mappings that have a `_target_`."""
    if hasattr(value, 'as_dict') and not dataclasses.is_dataclass(value): return value.as_dict()
    if hasattr(value, 'to_cfg_dict'): return {name: reduced(item) for name, item in value.to_cfg_dict().items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        result = {'_target_': target(value)}
        for field in dataclasses.fields(value):
            if field.name.startswith('_'): continue
            result[field.name] = reduced(getattr(value, field.name))
        return result
    if isinstance(value, (list, tuple)): return [reduced(item) for item in value]
    if isinstance(value, dict): return {key: reduced(item) for key, item in value.items()}
    return value


def tree(config, here):
    """Paths below the folder `here`, where the functions ran, become relative."""
    with safe_yaml_representers(): text = yaml.safe_dump(reduced(config), default_flow_style=False)
    result = yaml.safe_load(text.replace(here, ''))
    gpus = getattr(config, 'epwise_gpus', None)
    return {**result, **({'epwise_gpus': gpus} if gpus else {})}
