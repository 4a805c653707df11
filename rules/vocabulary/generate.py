#!/usr/bin/env python3
"""Writes mlm.yaml and bridge.yaml beside this file from the frameworks' own code.

    python3 rules/vocabulary/generate.py FIELDS [OUT]

Needs the launch oracle (tests/oracle/launch), set up with all its versions and those of tests/oracle/releases.py.
FIELDS: fields.jsonl, which says for each Megatron-LM flag what Megatron-Bridge calls the same thing.
OUT: where the tables go; this folder when it is not given.

Takes about three minutes: each version is imported in a process of its own (extract.py). Prints what it could not import and
what it had to decide. The tables are data of the product; this script runs only when upstream has a new release.
"""
import collections, json, os, pathlib, re, subprocess, sys
import yaml

HERE = pathlib.Path(__file__).resolve().parent


def extract(oracle, framework, version):
    """What extract.py says about one version."""
    folders, _, _ = oracle.VERSIONS[framework][version]
    environment = {name: os.environ[name] for name in ('PATH', 'HOME', 'LANG', 'TMPDIR', 'LD_LIBRARY_PATH') if name in os.environ}
    environment.update({
        'PYTHONPATH': os.pathsep.join(str(oracle.HOME / 'src' / name) for name in folders), 'PYTHONHASHSEED': '0', 'PYTHONDONTWRITEBYTECODE': '1',
        'HF_HUB_OFFLINE': '1', 'TRANSFORMERS_OFFLINE': '1', 'CUDA_VISIBLE_DEVICES': '', 'TORCHDYNAMO_DISABLE': '1', 'TORCH_CUDA_ARCH_LIST': '9.0',
        'TORCH_CPP_LOG_LEVEL': 'ERROR', 'COLUMNS': '200', 'WORLD_SIZE': '8', 'RANK': '0', 'LOCAL_RANK': '0'})
    command = [str(oracle.HOME / 'venv/bin/python'), str(HERE / 'extract.py'), str(pathlib.Path(oracle.__file__).parent), framework, version]
    run = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for line in run.stderr.splitlines():
        if line.startswith('megatron.'): print(f'{framework} {version}: could not import {line}')
    if run.returncode: sys.exit(f'{framework} {version}: {run.stderr[-2000:]}')
    return json.loads(run.stdout)


def same_releases(oracle, framework, found, pairs):
    """The releases that say what the version next to them says; prints those that do not."""
    same = []
    for release, version in pairs.items():
        folders = [oracle.HOME / 'src' / name for name in oracle.VERSIONS[framework][release][0]]
        if not all(folder.exists() for folder in folders): print(f'{framework} {release}: not laid out'); continue
        if extract(oracle, framework, release) == found[version]: same.append(release)
        else: print(f'{framework} {release}: differs from {version}')
    return same


# ---- ranges of versions -------------------------------------------------------------------------------------------

def runs(versions, row_of):
    """(since, until, row) of each stretch of versions in which row_of(version) stays the same; None: not there."""
    found = []
    for version in versions:
        row = row_of(version)
        if found and found[-1][2] == row: found[-1][1] = version
        else: found.append([version, version, row])
    return [tuple(run) for run in found if run[2] is not None]


def with_range(row, since, until, versions, outer=None):
    """The row with `since` and `until` where they say more than its surroundings do."""
    first, last = outer or (versions[0], versions[-1])
    return {**row, **({'since': since} if since != first else {}), **({'until': until} if until != last else {})}


# ---- Megatron-LM --------------------------------------------------------------------------------------------------

SECTIONS = '''model ddp optimizer scheduler train dataset validation checkpoint dist rng rerun_state_machine logger profiling mixed_precision
    comm_overlap mlm'''.split()
NEGATED = {'no_persist_layer_norm', 'untie_embeddings_and_output_weights', 'disable_mamba_mem_eff_path', 'disable_chunked_prefill'}
SAID = {'enable_msc': ['mlm.enable_msc'], 'disable_chunked_prefill': ['mlm.enable_chunked_prefill']}          # attributes that changed, not flags
NOT_THE_SAME = {'model.cpu_offloading'}          # made from a number of layers, no copy of it


def canonical_names(found, fields):
    """{attribute: [canonical name, further names]} of one version."""
    names = {}
    for flag in found['flags']:
        if 'attribute' not in flag: continue
        attribute = flag['attribute']
        for spelling in flag['flags']: names.setdefault(attribute, set()).update(fields.get(spelling, []))
    for attribute, candidates in names.items():
        candidates -= NOT_THE_SAME
        order = sorted(candidates, key=lambda name: (SECTIONS.index(name.split('.')[0]), name.split('.')[-1] != attribute, name))
        if attribute in SAID: order = SAID[attribute]
        elif not order: order = [('model.' if attribute in found['config'] else 'mlm.') + attribute]
        names[attribute] = order
    firsts = collections.Counter(order[0] for order in names.values())
    for name, count in firsts.items():
        if count > 1: sys.exit(f'{name}: meant by several attributes')
    return {attribute: [order[0], *(name for name in order[1:] if name not in firsts)] for attribute, order in names.items()}


def attribute_row(attribute, names, found):
    said = found['attributes'][attribute]
    negated = attribute in NEGATED
    if not negated and re.match('no_|disable_|untie_', attribute) and names[0].split('.')[-1] != attribute:
        sys.exit(f'{attribute} ↔ {names[0]}: is one the negation of the other?')
    row = {'name': names[0]}
    if row['name'].split('.')[-1] != attribute: row['attribute'] = attribute
    if negated: row['inverted'] = True
    row['type'] = said['type'] + ('?' if said.get('default', 0) is None else '')
    if 'computed' in said: row['computed'] = True
    else: row['default'] = not said['default'] if negated and said['default'] is not None else said['default']
    if 'choices' in said: row['choices'] = said['choices']
    if names[1:]: row['also'] = names[1:]
    return row


def flag_row(flag):
    row = {'flags': flag['flags']}
    if 'attribute' in flag: row['sets'] = flag['attribute']
    if flag['action'] != 'store': row['action'] = flag['action']
    if flag.get('values') is not None: row['values'] = flag['values']
    if flag.get('type', 'str') != 'str': row['type'] = flag['type']
    return {**row, **{key: flag[key] for key in ('choices', 'constant', 'required') if key in flag}}


def megatron_lm(versions, found, fields):
    """(fields, flags) over all versions."""
    names = {version: canonical_names(found[version], fields) for version in versions}
    attributes, flags = [], []
    for attribute in sorted({attribute for version in versions for attribute in names[version]}):
        def row_of(version):
            own = names[version].get(attribute)
            return own and attribute_row(attribute, own, found[version])
        attributes += [with_range(row, since, until, versions) for since, until, row in runs(versions, row_of)]
    rows = {version: {tuple(flag['flags']): flag_row(flag) for flag in found[version]['flags']} for version in versions}
    for key in sorted({key for version in versions for key in rows[version]}):
        flags += [with_range(row, since, until, versions) for since, until, row in runs(versions, lambda version: rows[version].get(key))]
    position = versions.index
    attributes.sort(key=lambda row: (row['name'], position(row.get('since', versions[0]))))
    return attributes, flags


# ---- Megatron-Bridge ----------------------------------------------------------------------------------------------

def nearest(path, classes):
    """The base class that says most of what this class says; None without one."""
    own = classes[path]['fields']
    def missing(base): return sum(classes[base]['fields'].get(name) != row for name, row in own.items())
    bases = [base for base in classes[path]['bases'] if base in classes and set(classes[base]['fields']) <= set(own)]
    bases = [base for base in bases if missing(base) < len(own)]
    return min(bases, key=missing) if bases else None


def own_rows(path, classes):
    """(parent, {field: row}) with what the parent doesn't say already."""
    parent = nearest(path, classes)
    inherited = classes[parent]['fields'] if parent else {}
    return parent, {name: row for name, row in classes[path]['fields'].items() if inherited.get(name) != row}


def section_of(path, found):
    """The section whose value may be of this class; None for a class that only fields hold."""
    sections = [name for name, row in found['sections'].items() if path in row['classes']]
    if len(sections) > 1: sys.exit(f'{path}: a class of several sections')
    return sections[0] if sections else None


def bridge_classes(versions, found):
    """Every class over all versions: one entry for each stretch in which its place and parent stay the same."""
    rows = {version: {path: own_rows(path, found[version]['classes']) for path in found[version]['classes']} for version in versions}
    entries = []
    for path in sorted({path for version in versions for path in rows[version]}):
        def head_of(version):
            if path not in rows[version]: return None
            parent, section = rows[version][path][0], section_of(path, found[version])
            refuses = section and found[version]['classes'][path].get('refuses')
            return {'class': path, **({'section': section} if section else {}), **({'parent': parent} if parent else {}),
                    **({'refuses': True} if refuses else {})}
        for since, until, head in runs(versions, head_of):
            inside = versions[versions.index(since):versions.index(until) + 1]
            names = list(dict.fromkeys(name for version in inside for name in rows[version][path][1]))
            fields = [with_range({'name': name, **row}, first, last, versions, (since, until)) for name in sorted(names)
                      for first, last, row in runs(inside, lambda version: rows[version][path][1].get(name))]
            entries.append((with_range(head, since, until, versions), fields))
    return entries


def bridge_sections(versions, found):
    rows = []
    for name in sorted({name for version in versions for name in found[version]['sections']}):
        def row_of(version):
            row = found[version]['sections'].get(name)
            return row and {'name': name, **({'class': row['class']} if 'class' in row else {}), **({'absent': True} if 'null' in row else {})}
        rows += [with_range(row, since, until, versions) for since, until, row in runs(versions, row_of)]
    return rows


def series(version): return version.split('.')[:2]


def lend_words(found, releases):
    """Gives Bridge's fields that are annotated as any text the words that other classes of Bridge have for them, or else the parser of
    the Megatron-LM that belongs to the pinned core. Data types stand by other names in Bridge, and graph modules in texts with commas."""
    for version, said in found['bridge'].items():
        core = next(row['mcore'] for row in releases if str(row['bridge']) == version)
        parser = next(rows for name, rows in reversed(found['mlm'].items()) if series(name) == series(core))
        words, own = {}, collections.defaultdict(dict)
        for flag in parser['flags']: words.update({spelling[2:].replace('-', '_'): flag.get('choices') for spelling in flag['flags']})
        fields = [(name, row) for path in sorted(said['classes']) for name, row in said['classes'][path]['fields'].items()]
        for name, row in fields: own[name].update(dict.fromkeys(row.get('choices', ())))
        for name, row in fields:
            known = list(own[name]) or words.get(name)
            if 'choices' in row or not known or row['type'].rstrip('?') not in ('text', 'any') or re.search('_dtype$|^cuda_graph', name): continue
            if row.get('default') is None or row['default'] in known: row['choices'] = known


# ---- YAML ---------------------------------------------------------------------------------------------------------

def scalar(value):
    if value is None: return 'null'
    if isinstance(value, bool): return str(value).lower()
    if isinstance(value, float):
        if value in (float('inf'), float('-inf')): return '.inf' if value > 0 else '-.inf'
        text = repr(value)
        return text if '.' in text else re.sub('e', '.0e', text)
    if isinstance(value, int): return str(value)
    if re.fullmatch(r'-{0,2}[A-Za-z_][\w./@+-]*', value) and value.lower() not in 'yes no on off true false null y n'.split(): return value
    if re.fullmatch(r'\d+\.\d+\.\d+', value): return value
    return json.dumps(value, ensure_ascii=False)


def flow(value):
    if isinstance(value, dict): return '{' + ', '.join(f'{key}: {flow(item)}' for key, item in value.items()) + '}'
    if isinstance(value, list): return '[' + ', '.join(map(flow, value)) + ']'
    return scalar(value)


ORIGIN = '''# Status: read out of the released code ({what}), run on a CPU
# with devices and optional packages replaced by stand-ins; `head` is commit {head}.
# Made by generate.py; not edited by hand. `since` and `until` are known versions, both inclusive; without them: all of them.
# `same`: releases whose fields, flags and defaults are those of the next known version of their series, as this script found.
# Types are those of the rule language; `?`: may be null. `computed`: only the running framework knows the default.
'''


def write(path, text):
    path.write_text(text)
    print(f'{path.name}: {text.count(chr(10))} lines, {len(text) // 1024} KiB')


def write_megatron_lm(out, versions, same, attributes, flags):
    text = '# Every argument of Megatron-LM: what its parser sets (fields) and how it is spelt (flags).\n'
    text += ORIGIN.format(what='the argument parser with the ModelOpt group of ' + ', '.join(versions), head='d98e8a64')
    text += '''#
# fields: name: canonical, as Megatron-Bridge calls the same thing, else mlm.ATTRIBUTE. attribute: of `args`, where it is not the name's last part.
#   inverted: the attribute is the negation; the default stands for the canonical name. also: further Bridge fields of the same meaning.
# flags: sets: the attribute. action: store without it. values: argparse's nargs. type: str without it; others are Python's constructors but
#   enum and cuda_graph_modules (names of an enumeration: an unknown one raises KeyError), moe_freq, la_freq, no_rope_freq (an integer or a
#   Python list expression) and tuple (a Python tuple expression). choices: after conversion. The parser allows no abbreviations.
'''
    text += f'versions: {flow(versions)}\nsame: {flow(same)}\n\nfields:\n' + ''.join(f'- {flow(row)}\n' for row in attributes)
    text += '\nflags:\n' + ''.join(f'- {flow(row)}\n' for row in flags)
    write(out / 'mlm.yaml', text)


def write_bridge(out, versions, same, sections, classes):
    text = '# Every field of Megatron-Bridge\'s ConfigContainer: its sections and the classes that they may hold.\n'
    text += ORIGIN.format(what='the dataclasses of ' + ', '.join(versions), head='067f987d')
    text += '''#
# sections: class: of a section without `_target_`. absent: null unless the recipe has it.
# classes: section: where a `_target_` may name the class. parent: the class whose fields it has too; fields: what differs from them, and
#   what its constructor takes beside them. refuses: a key that is none of these ends the launch; the loader drops it with other classes.
#   required: no default. holds: classes that the value may be; their fields stand below it (dataset.hf_dataset.path).
#   dtypes, enumerators and functions stand by name (torch.bfloat16, SIGTERM, torch.nn.functional.silu), an empty mapping as [].
#   choices are those of the annotation, where it allows any text those of Megatron-LM's flag of that name; the loader checks neither.
'''
    text += f'versions: {flow(versions)}\nsame: {flow(same)}\n\nsections:\n' + ''.join(f'- {flow(row)}\n' for row in sections) + '\nclasses:\n'
    for head, fields in classes:
        text += '- ' + '\n  '.join(f'{key}: {flow(value)}' for key, value in head.items()) + '\n'
        text += '  fields:' + (' []\n' if not fields else '\n' + ''.join(f'  - {flow(row)}\n' for row in fields))
    write(out / 'bridge.yaml', text)


def main(argv):
    if len(argv) not in (1, 2): sys.exit(__doc__)
    sys.path[:0] = [str(HERE.parents[1] / 'tests/oracle/launch'), str(HERE.parents[1] / 'tests/oracle')]
    import releases
    oracle = releases.known()
    out = pathlib.Path(argv[1]) if len(argv) > 1 else HERE
    fields = collections.defaultdict(list)
    for row in map(json.loads, open(argv[0])):
        if row['mlm_flag'] and row['flag_kind'] != 'env': fields[row['mlm_flag']].append(row['field'])
    found = {framework: {version: extract(oracle, framework, version) for version in versions} for framework, versions in releases.TABLES.items()}
    same = {framework: same_releases(oracle, framework, found[framework], pairs) for framework, pairs in releases.SAME.items()}
    versions = releases.TABLES['mlm']
    write_megatron_lm(out, versions, same['mlm'], *megatron_lm(versions, found['mlm'], fields))
    lend_words(found, yaml.safe_load((HERE.parent / 'tables/releases.yaml').read_text())['releases'])
    versions = releases.TABLES['bridge']
    write_bridge(out, versions, same['bridge'], bridge_sections(versions, found['bridge']), bridge_classes(versions, found['bridge']))


if __name__ == '__main__': main(sys.argv[1:])
