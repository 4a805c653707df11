"""A configuration of Megatron-Bridge as a tree of plain values, without those that its classes give anyway. Runs inside the
oracle's environment (recipe_table.py)."""
import dataclasses, sys
import yaml


def representers():
    """Bridge's own way to write functions, dtypes and enums; its place differs between releases."""
    for name in ('megatron.training.config.yaml_utils', 'megatron.bridge.utils.yaml_utils', 'megatron.bridge.training.utils.yaml_utils'):
        try: return __import__(name, fromlist=['safe_yaml_representers']).safe_yaml_representers
        except (ImportError, AttributeError): pass
    sys.exit('safe_yaml_representers is at none of the known places')


safe_yaml_representers = representers()


def same(value, default):
    """Whether a value is its field's default, also in kind: 1 is not True, 0 is not 0.0."""
    if type(value) is not type(default): return False
    if isinstance(value, (list, tuple)): return len(value) == len(default) and all(map(same, value, default))
    if dataclasses.is_dataclass(value) and not isinstance(value, type): return False
    try: return bool(value == default)
    except Exception: return value is default


def default_of(field):
    if field.default is not dataclasses.MISSING: return field.default
    if field.default_factory is not dataclasses.MISSING: return field.default_factory()
    return dataclasses.MISSING


def target(value):
    return f'{type(value).__module__}.{type(value).__qualname__}'


def reduced(value):
    """The value with objects as mappings that have a `_target_`."""
    if hasattr(value, 'as_dict') and not dataclasses.is_dataclass(value): return value.as_dict()
    if hasattr(value, 'to_cfg_dict'): return value.to_cfg_dict()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        result = {'_target_': target(value)}
        for field in dataclasses.fields(value):
            if field.name.startswith('_'): continue
            given = getattr(value, field.name)
            if not same(given, default_of(field)): result[field.name] = reduced(given)
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
