"""Reads the fields, types, choices and defaults of one framework version out of its own code.

Started by generate.py inside the launch oracle's virtual environment, with the version's sources in front; prints one JSON object.
"""
import argparse, dataclasses, enum, importlib, inspect, json, os, pathlib, pkgutil, sys, types, typing

ANYWHERE = {'WORLD_SIZE': '16', 'RANK': '3', 'LOCAL_RANK': '3', 'SLURM_JOB_ID': '7', 'HOME': '/elsewhere', 'USER': 'someone'}


class Computed(Exception):
    """A value that only the running framework knows."""


def plain(value):
    """The value as a recipe would write it: dtypes, enumerators and functions as their names."""
    import torch
    if isinstance(value, enum.Enum): return value.name
    if value is None or isinstance(value, (bool, int, float, str)): return value
    if isinstance(value, torch.dtype): return str(value)
    if isinstance(value, (list, tuple)): return [plain(item) for item in value]
    if isinstance(value, (set, frozenset)): return sorted(map(plain, value), key=str)
    if isinstance(value, dict) and not value: return []
    if isinstance(value, type): return f'{value.__module__}.{value.__qualname__}'
    if callable(value) and hasattr(value, '__qualname__'):
        module = inspect.getmodule(value)
        if module is not None and '<' not in value.__qualname__: return f'{module.__name__}.{value.__qualname__}'
    raise Computed


def in_two_environments(make):
    """make() here and make() as if on another rank of another machine."""
    here, kept = make(), dict(os.environ)
    os.environ.update(ANYWHERE)
    try: return here, make()
    finally:
        os.environ.clear()
        os.environ.update(kept)


def default_row(here, elsewhere):
    """{'default': value}, or {'computed': True} where the value depends on the machine or is an object."""
    try:
        if plain(here) == plain(elsewhere): return {'default': plain(here)}
    except Computed: pass
    return {'computed': True}


# ---- Megatron-LM --------------------------------------------------------------------------------------------------

CONVERTERS = {'moe_freq_type': 'moe_freq', 'la_freq_type': 'la_freq', 'no_rope_freq_type': 'no_rope_freq', 'tuple_type': 'tuple',
              'enum_type_handler': 'enum', '_parse_cuda_graph_modules_arg': 'cuda_graph_modules', 'int': 'int', 'float': 'float', 'str': 'str', 'bool': 'bool'}


def converter(action):
    """The name of a flag's conversion; lambdas are known by their flag."""
    if action.type is None: return 'str'
    lambdas = {'--attention-backend': 'enum', '--cuda-graph-scope': 'cuda_graph_modules'}
    name = action.type.__name__
    return lambdas[action.option_strings[0]] if name == '<lambda>' else CONVERTERS[name]


def flag_rows(action):
    """The action as one or two flags; --x and --no-x of a BooleanOptionalAction are two."""
    kinds = {'_StoreAction': 'store', '_StoreTrueAction': 'store_true', '_StoreFalseAction': 'store_false', '_StoreConstAction': 'store_const',
             '_AppendAction': 'append', '_HelpAction': 'help'}
    attribute = action.dest
    if isinstance(action, argparse.BooleanOptionalAction):
        for no in (False, True):
            spellings = [text for text in action.option_strings if text.startswith('--no-') == no]
            yield {'flags': spellings, 'attribute': attribute, 'action': 'store_false' if no else 'store_true'}
        return
    row = {'flags': list(action.option_strings), 'attribute': attribute, 'action': kinds[type(action).__name__]}
    if row['action'] == 'help': del row['attribute']
    if row['action'] == 'store_const': row['constant'] = plain(action.const)
    if row['action'] in ('store', 'append'):
        row['values'] = action.nargs
        row['type'] = converter(action)
        if action.nargs == '?' and action.const is not None: row['constant'] = plain(action.const)
        if row['type'] == 'cuda_graph_modules': row['choices'] = graph_modules(action.type)
        elif action.choices is not None: row['choices'] = [str(plain(choice)) for choice in action.choices if choice is not None]          # a word is never None
    if action.required: row['required'] = True
    yield row


def graph_modules(parse):
    """What a CUDA graph module may be called: the enumeration's names and the older spellings that `parse` lets through."""
    from megatron.core.transformer import enums
    names = [member.name for member in getattr(enums, 'CudaGraphModule', None) or enums.CudaGraphScope]
    for older in ('full', 'full_iteration', 'full_iteration_inference'):
        try: names += [older] if parse(older) and older not in names else []
        except KeyError: pass
    return names


def kind_of_flag(row):
    """Type of the attribute that a flag sets."""
    if row['action'] in ('store_true', 'store_false'): return 'bool'
    if row.get('values') not in (None, '?') or row['type'] == 'tuple': return 'list'
    if row['action'] == 'append': return 'list'
    return {'int': 'int', 'float': 'number', 'str': 'text', 'bool': 'bool', 'enum': 'text', 'cuda_graph_modules': 'text'}.get(row['type'], 'any')


def megatron_lm(version, sources):
    import mlm
    mlm.ddp_statements = lambda: None          # of no use here, and not in the same place before 0.13
    mlm.start(version, sources)
    from megatron.core.transformer.transformer_config import MLATransformerConfig
    from megatron.post_training.arguments import add_modelopt_args
    add = next(cell.cell_contents for cell in mlm.arguments.add_megatron_arguments.__closure__
               if getattr(cell.cell_contents, '__name__', '') == 'add_megatron_arguments')          # not the oracle's cached one
    def parser(): return add_modelopt_args(add(argparse.ArgumentParser(allow_abbrev=False)))
    flags, attributes = [row for action in parser()._actions for row in flag_rows(action)], {}
    here, elsewhere = in_two_environments(lambda: vars(parser().parse_args([])))
    for row in flags:
        if 'attribute' not in row: continue
        name = row['attribute']
        found = attributes.setdefault(name, {'type': kind_of_flag(row)})
        if 'choices' in row: found['choices'] = row['choices']
        found.update(default_row(here[name], elsewhere[name]))
    return {'flags': flags, 'attributes': attributes, 'config': [field.name for field in dataclasses.fields(MLATransformerConfig)]}


# ---- Megatron-Bridge ----------------------------------------------------------------------------------------------

def modules_below(package):
    """Imports a package with all that is below it, as far as that works."""
    try: root = importlib.import_module(package)
    except Exception: return
    for info in pkgutil.walk_packages(root.__path__, package + '.', onerror=lambda name: None):
        try: importlib.import_module(info.name)
        except Exception as error: print(f'{info.name}: {type(error).__name__}', file=sys.stderr)


def parts(hint):
    """The members of a union, flattened, without Annotated."""
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType): return [part for member in typing.get_args(hint) for part in parts(member)]
    if origin is typing.Annotated: return parts(typing.get_args(hint)[0])
    return [hint]


def ours(cls): return isinstance(cls, type) and dataclasses.is_dataclass(cls) and cls.__module__.startswith('megatron.')


def below(cls):
    """All subclasses, in the order in which they were made."""
    found = []
    for child in cls.__subclasses__():
        found += [child, *below(child)]
    return list(dict.fromkeys(found))


def path_of(cls): return f'{cls.__module__}.{cls.__qualname__}'


def scalar_kind(hint):
    import torch
    if isinstance(hint, type):
        if issubclass(hint, bool): return 'bool'
        if issubclass(hint, enum.Enum): return 'text'
        for python, kind in ((int, 'int'), (float, 'number'), ((str, pathlib.PurePath, torch.dtype), 'text'), ((list, tuple, set), 'list')):
            if issubclass(hint, python): return kind
    return {list: 'list', tuple: 'list', set: 'list'}.get(typing.get_origin(hint), 'any')


def kind_of_hint(hint):
    """(kind, may be unset, choices, dataclasses that it may hold) of a type annotation."""
    members = parts(hint)
    optional = any(member is type(None) for member in members)
    members = [member for member in members if member is not type(None)]
    kinds, choices, held = [], [], []
    for member in members:
        element = typing.get_args(member)[0] if typing.get_origin(member) is list and typing.get_args(member) else member
        if typing.get_origin(element) is typing.Literal:
            values = typing.get_args(element)
            optional |= None in values and element is member
            choices += [str(plain(value)) for value in values if value is not None]
            literal = {scalar_kind(type(value)) for value in values if value is not None}
            kinds.append('list' if element is not member else literal.pop() if len(literal) == 1 else 'any')
        else:
            if isinstance(element, type) and issubclass(element, enum.Enum): choices += [one.name for one in element]
            if ours(element) and element is member: held.append(element)
            kinds.append(scalar_kind(member))
    several = set(kinds)
    kind = kinds[0] if len(several) == 1 else 'number' if several == {'int', 'number'} else 'any'
    if kind == 'any' or kind == 'bool' or len(choices) > 0 and any(typing.get_origin(m) is not typing.Literal and scalar_kind(m) == 'text' and not (
            isinstance(m, type) and issubclass(m, enum.Enum)) for m in members): choices = []
    return kind, optional, choices, held


def hint_of(cls, field):
    """The annotation as a type; None when it can't be resolved."""
    if not isinstance(field.type, str): return field.type
    owner = next(base for base in cls.__mro__ if field.name in base.__dict__.get('__annotations__', {}))
    try: return eval(field.type, dict(vars(typing), **vars(sys.modules[owner.__module__])))
    except Exception: return None


def field_row(cls, field):
    hint = hint_of(cls, field)
    kind, optional, choices, held = ('any', True, [], []) if hint is None else kind_of_hint(hint)
    row = {}
    if field.default is not dataclasses.MISSING: row.update(default_row(field.default, field.default))
    elif field.default_factory is not dataclasses.MISSING: row.update(default_row(*in_two_environments(field.default_factory)))
    else: row['required'] = True
    if 'default' in row and row['default'] is None: optional = True
    row['type'] = kind + ('?' if optional else '')
    if choices: row['choices'] = choices
    held = [one for base in held for one in [base, *below(base)] if ours(one) and one.__name__ != 'ModuleSpec']
    if field.name == 'transformer': held = [one for one in held if one.__name__ in ('TransformerConfig', 'MLATransformerConfig')]
    elif any(map(is_model, held)): held = []          # a whole model inside a model: not followed
    if held: row['holds'] = sorted(map(path_of, held))
    return row


def parameter_row(cls, parameter):
    """What a constructor written by hand takes beside the fields."""
    annotation = parameter.annotation
    kind, optional, choices, _ = ('any', True, [], []) if annotation is parameter.empty or isinstance(annotation, str) else kind_of_hint(annotation)
    row = {'required': True} if parameter.default is parameter.empty else default_row(parameter.default, parameter.default)
    return {**row, 'type': kind + ('?' if optional or row.get('default', 0) is None else ''), **({'choices': choices} if choices else {})}


def parameters_beside(cls, fields):
    """{name: row} of the constructor's parameters that are no fields, and of its bases' as far as it hands on any name."""
    found = {}
    for base in cls.__mro__:
        if '__init__' not in base.__dict__ or base is object: continue
        parameters = inspect.signature(base.__init__).parameters.values()
        found.update({one.name: parameter_row(base, one) for one in list(parameters)[1:] if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
                      and one.name not in {*fields, *found} and not one.name.startswith('_')})
        if all(one.kind is not one.VAR_KEYWORD for one in parameters): break
    return found


def refuses(cls, names):
    """Whether a key of another name ends the launch: the constructor takes any, so that the loader drops none, and then raises."""
    if all(one.kind is not one.VAR_KEYWORD for one in inspect.signature(cls).parameters.values()): return False
    try: cls(**{name: 1 for name in names}, no_name_of_a_field=1)
    except TypeError as error: return 'no_name_of_a_field' in str(error)
    except Exception: pass
    return False


class Classes:
    """Every dataclass that some section or field may hold, with its fields."""
    def __init__(self): self.known = {}

    def add(self, cls):
        if path_of(cls) in self.known or not ours(cls): return
        self.known[path_of(cls)] = cls
        for base in cls.__mro__[1:]: self.add(base)

    def rows(self):
        """{class: {parent, fields: {name: row}}}; follows `holds` to further classes."""
        found = {}
        while len(found) < len(self.known):
            for path, cls in list(self.known.items()):
                if path in found: continue
                fields = {field.name: field_row(cls, field) for field in dataclasses.fields(cls) if not field.name.startswith('_')}
                beside = parameters_beside(cls, fields)
                found[path] = {'bases': [path_of(base) for base in cls.__mro__[1:] if ours(base)], 'fields': {**fields, **beside}}
                if refuses(cls, {*beside, *(name for name, row in fields.items() if 'required' in row)}): found[path]['refuses'] = True
                for row in fields.values():
                    for held in row.get('holds', []): self.add(class_at(held))
        return found


def class_at(path):
    module, name = path.rsplit('.', 1)
    return getattr(sys.modules[module], name)


def is_model(cls):
    """A class that the model section can name: a provider or a model config."""
    names = {base.__name__ for base in cls.__mro__}
    return bool(names & {'TransformerConfig', 'ModelProviderMixin', 'ModelConfig'})


def megatron_bridge(version, sources):
    import bridge
    bridge.start(version, sources)
    for package in ('megatron.bridge.models', 'megatron.bridge.data', 'megatron.bridge.peft'): modules_below(package)
    container = bridge.config.ConfigContainer
    classes, sections = Classes(), {}
    models = [cls for name, module in sorted(sys.modules.items()) if name.startswith('megatron.bridge.models')
              for cls in vars(module).values() if ours(cls) and cls.__module__ == name and is_model(cls)]
    for field in dataclasses.fields(container):
        if field.name.startswith('_'): continue
        members = parts(typing.get_type_hints(container)[field.name])
        held = [member for member in members if ours(member)]
        held += [child for cls in list(held) for child in below(cls) if ours(child)]
        abstract = [member for member in members if isinstance(member, type) and not ours(member) and member.__module__.startswith('megatron.')]
        held += [child for cls in abstract for child in below(cls) if ours(child)]
        if field.name == 'model': held += models
        held = [cls for cls in dict.fromkeys(held) if '<' not in path_of(cls)]
        for cls in held: classes.add(cls)
        row = {'classes': sorted({path for cls in held for path in [path_of(cls), *(path_of(base) for base in cls.__mro__ if ours(base))]})}
        if held: row['class'] = path_of(held[0])
        if field.default is None: row['null'] = True
        sections[field.name] = row
    return {'sections': sections, 'classes': classes.rows()}


def main():
    oracle, framework, version = sys.argv[1:]
    sys.path.insert(0, oracle)
    answers, sys.stdout = sys.stdout, open(os.devnull, 'w')          # upstream prints while it is imported
    sources = tuple(folder + '/' for folder in os.environ['PYTHONPATH'].split(os.pathsep))
    found = (megatron_bridge if framework == 'bridge' else megatron_lm)(version, sources)
    json.dump(found, answers)


if __name__ == '__main__': main()
