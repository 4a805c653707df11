"""Recipes as trees → src/recipe/named/tables/<release>.yaml, the format that src/recipe/named/table_yaml.h reads."""
import collections, importlib, os, pathlib, re, subprocess, sys, tempfile
import yaml

HERE = pathlib.Path(__file__).resolve().parent
TABLES = HERE.parents[1] / 'src/recipe/named/tables'
TAGS = {'0.3.0': 'v0.3.0', '0.3.1': 'v0.3.1', '0.4.0': 'v0.4.0', '0.4.2': 'v0.4.2', '0.5.0': 'v0.5.0', '0.5.1': 'v0.5.1', '0.6.2': 'v0.6.0', 'head': '067f987d'}        # whose scripts/performance a release has


def flow(value):
    """The value on one line, as the YAML reader of Megatron-Bridge (PyYAML) writes it."""
    text = yaml.safe_dump(value, default_flow_style=True, width=1 << 30, allow_unicode=True).strip()
    return text.removesuffix('...').strip()


def followed(recipes):
    """Names that stand for another recipe's function, resolved."""
    def of(name):
        value = recipes[name]
        return of(value) if isinstance(value, str) else value
    return {name: of(name) for name in recipes}


def difference(base, fields):
    """What must be set and left out to make `fields` of `base`."""
    changed = {key: text for key, text in fields.items() if base.get(key) != text}
    return changed, [key for key in base if key not in fields]


def flattened(fields):
    """Fields of the model's transformer, which newer releases keep one level deeper, beside the others: transformer.num_layers."""
    flat = {}
    for key, value in fields.items():
        nested = key == 'transformer' and isinstance(value, dict)
        flat.update({f'{key}.{name}': item for name, item in value.items()} if nested else {key: value})
    return flat


class Section:
    """The distinct contents of one section, each as a difference to the nearest earlier one."""
    def __init__(self): self.known, self.rows, self.contents = {}, [], []

    def number(self, value):
        key = flow(value)
        if key not in self.known:
            self.known[key] = len(self.rows)
            self.add(value)
        return self.known[key]

    def add(self, value):
        if not isinstance(value, dict) or not value:
            self.contents.append({})
            self.rows.append([f'- {flow(value)}'])
            return
        fields = {key: flow(item) for key, item in flattened(value).items()}
        best = (None, fields, [])
        size = lambda choice: sum(len(key) + len(text) + 4 for key, text in choice[1].items()) + sum(len(key) + 2 for key in choice[2])
        for number, base in enumerate(self.contents):
            choice = (number, *difference(base, fields)) if base else best
            if size(choice) + 12 < size(best): best = choice
        number, changed, dropped = best
        rows = ([f'_like: {number}'] if number is not None else []) + ([f'_without: [{", ".join(dropped)}]'] if dropped else [])
        rows += [f'{key}: {text}' for key, text in sorted(changed.items(), key=lambda pair: (pair[0] != '_target_', pair[0]))]
        self.contents.append(fields)
        self.rows.append([('- ' if at == 0 else '  ') + row for at, row in enumerate(rows)])


def table(version, source, recipes):
    sections, lines = collections.defaultdict(Section), []
    for name, tree in sorted(followed(recipes).items()):
        gpus = tree.get('epwise_gpus') or int((re.search(r'_(\d+)gpu_', name) or [0, 0])[1])
        parts = [f'{section}: {sections[section].number(value)}' for section, value in tree.items() if section not in ('epwise_gpus', '_target_')]
        lines.append(f'  {name}: {{{", ".join(([f"gpus: {gpus}"] if gpus else []) + parts)}}}')
    text = [f'# Written by tests/oracle/recipe_table.py; README.md there tells the format.', f'release: {version}', f'source: {source}', 'sections:']
    for name, section in sorted(sections.items()):
        text.append(f'  {name}:')
        text += [f'  {row}' for rows in section.rows for row in rows]
    return '\n'.join([*text, 'recipes:', *lines]) + '\n'


def main(argv):
    if not argv: sys.exit('usage: recipe_table.py BRIDGE_GIT [RELEASE ...]')
    oracle, extractor = importlib.import_module('releases').known(), importlib.import_module('recipe_table')
    for version in argv[1:] or TAGS:
        with tempfile.TemporaryDirectory() as folder:
            archive = subprocess.Popen(['git', '--git-dir', argv[0], 'archive', TAGS[version], 'scripts'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            subprocess.run(['tar', 'x', '-C', folder], stdin=archive.stdout, check=True)
            found = extractor.extract(oracle, version, f'{folder}/scripts/performance')
        TABLES.mkdir(parents=True, exist_ok=True)
        source = f'Megatron-Bridge {version}, recipe functions run with tests/oracle/recipe_table.py, 2026-11; models as in tests/oracle/model_configs.yaml (assumed)'
        (TABLES / f'{version}.yaml').write_text(table(version, source, found['recipes']))
        print(f'{version}: {len(found["recipes"])} recipes, {len(found["failed"])} could not be made:')
        whys = collections.Counter(re.sub(r'\. Ensure.*', '', why) for why in found['failed'].values())
        for why, count in whys.most_common(): print(f'  {count:3} {why[:150]}')
