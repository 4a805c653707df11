#!/usr/bin/env python3
"""What a newer commit of Megatron-LM or Megatron-Bridge changes for the rules.

    tests/oracle/upstream_changes.py GIT OLD NEW [--all]

GIT is a git directory, bare or not; OLD and NEW are commits or tags. Of the files that validate a launch it compares checks (raise and
assert), fields of configuration classes with their defaults, and flags of the parser, and prints which are new, gone, moved or
changed. Rules whose `references` name a line of a check that is gone or has another condition are listed with it. OLD should be the
commit that the rules cite; with another one, lines of rules are looked up all the same. --all also prints the checks that only moved.
"""
import argparse, ast, collections, pathlib, re, subprocess, sys
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOADER = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)
# Where a launch is validated, of both repositories; the rest of the code trains.
PLACES = re.compile(r'^(megatron/(training/.*(arguments|argument_utils|initialize|global_vars|config)[^/]*\.py|training/config/.*\.py|training/(training|checkpointing)\.py'
                    r'|core/(transformer/(transformer_config|cuda_graph_config|pipeline_parallel_layer_layout)\.py|transformer/moe/.*\.py|model_parallel_config\.py|parallel_state\.py'
                    r'|num_microbatches_calculator\.py|optimizer/optimizer_config\.py|distributed/.*config\.py|datasets/.*config\.py|pipeline_parallel/schedules\.py|models/.*layer_specs\.py))'
                    r'|(gpt|hybrid|mamba)_builders\.py'
                    r'|src/megatron/bridge/(training/.*\.py|models/.*(provider|config)[^/]*\.py|peft/.*\.py|utils/.*\.py|data/.*\.py))$')


def git(folder, *words):
    return subprocess.run(['git', '--git-dir', str(folder), *words], capture_output=True, text=True, check=True).stdout


def sources(folder, commit):
    for path in git(folder, 'ls-tree', '-r', '--name-only', commit).splitlines():
        if PLACES.match(path) and '/tests/' not in path:
            yield path, git(folder, 'show', f'{commit}:{path}')


def message(node):
    """The constant words of the message of a check, without its values."""
    return ' '.join(part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str))[:90] if node is not None else ''


class Facts(ast.NodeVisitor):
    def __init__(self, path):
        self.path, self.scope, self.tests = path, [], []
        self.checks, self.fields, self.flags = {}, {}, {}

    def visit_ClassDef(self, node):
        self.scope.append(node.name)
        for part in node.body:
            if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
                self.fields[f'{node.name}.{part.target.id}'] = f"{ast.unparse(part.annotation)} = {ast.unparse(part.value) if part.value else '(required)'}"
        self.generic_visit(node)
        self.scope.pop()

    def visit_FunctionDef(self, node):
        self.scope.append(node.name)
        self.generic_visit(node)
        self.scope.pop()

    def visit_If(self, node):
        self.tests.append(ast.unparse(node.test))
        for part in node.body:
            self.visit(part)
        self.tests[-1] = f'not ({self.tests[-1]})'
        for part in node.orelse:
            self.visit(part)
        self.tests.pop()

    def check(self, node, text, condition):
        key = (self.path, '.'.join(self.scope), text or condition)
        self.checks.setdefault(key, []).append((node.lineno, condition))

    def visit_Assert(self, node):
        self.check(node, message(node.msg), ' and '.join([*self.tests, f'not ({ast.unparse(node.test)})']))

    def visit_Raise(self, node):
        if node.exc is not None:
            self.check(node, message(node.exc), ' and '.join(self.tests))

    def visit_Call(self, node):
        if getattr(node.func, 'attr', '') == 'add_argument' and node.args and isinstance(node.args[0], ast.Constant):
            given = {word.arg: ast.unparse(word.value) for word in node.keywords if word.arg in ('type', 'default', 'choices', 'action', 'nargs')}
            self.flags[node.args[0].value] = str(given)
        self.generic_visit(node)


def read(folder, commit):
    found = Facts('')
    for path, text in sources(folder, commit):
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue
        facts = Facts(path)
        facts.visit(tree)
        for name in ('checks', 'fields', 'flags'):
            getattr(found, name).update(getattr(facts, name))
    if not found.checks:
        sys.exit(f'{folder} has no file at {commit} that validates a launch')
    return found


def citing_rules():
    """{(path, line): {rule}} of what the rules' references name."""
    cited = collections.defaultdict(set)
    for path in sorted((ROOT / 'rules').glob('*/*.yaml')):
        rule = yaml.load(path.read_text(), LOADER)
        for reference in (rule.get('references') or []) if isinstance(rule, dict) else []:
            for place, line, last in re.findall(r'(\S+\.py):(\d+)(?:-(\d+))?', str(reference)):
                for number in range(int(line), int(last or line) + 1):
                    cited[place, number].add(str(path.relative_to(ROOT / 'rules').with_suffix('')))
    return cited


def rules_near(cited, path, line):
    return sorted({rule for number in range(line - 2, line + 3) for rule in cited.get((path, number), ())})


def compare(title, old, new):
    print(f'\n{title}')
    for name in sorted(new.keys() - old.keys()):
        print(f'  new      {name}: {new[name][:140]}')
    for name in sorted(old.keys() - new.keys()):
        print(f'  gone     {name}')
    for name in sorted(old.keys() & new.keys()):
        if old[name] != new[name]:
            print(f'  changed  {name}: {old[name][:100]} -> {new[name][:100]}')


def compare_checks(old, new, show_moves):
    cited = citing_rules()
    print('\nChecks')
    moves = 0
    for key in sorted(new.keys() - old.keys()):
        print(f'  new      {key[0]}:{new[key][0][0]} {key[1]}: {key[2][:110]}')
    for key in sorted(old.keys() - new.keys()):
        print(f"  gone     {key[0]}:{old[key][0][0]} {key[1]}: {key[2][:90]} {rules_near(cited, key[0], old[key][0][0]) or 'no rule'}")
    for key in sorted(old.keys() & new.keys()):
        (line, condition), (place, other) = old[key][0], new[key][0]
        if condition != other:
            print(f"  changed  {key[0]}:{line} -> {place} {key[1]}: {condition[-110:]} -> {other[-110:]} {rules_near(cited, key[0], line) or 'no rule'}")
        elif line != place:
            moves += 1
            if show_moves and rules_near(cited, key[0], line):
                print(f'  moved    {key[0]}:{line} -> {place} {rules_near(cited, key[0], line)}')
    print(f'  {moves} checks only moved')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('git', type=pathlib.Path)
    parser.add_argument('old')
    parser.add_argument('new')
    parser.add_argument('--all', action='store_true')
    args = parser.parse_args()
    folder = args.git / '.git' if (args.git / '.git').exists() else args.git
    old, new = read(folder, args.old), read(folder, args.new)
    compare_checks(old.checks, new.checks, args.all)
    compare('Fields', old.fields, new.fields)
    compare('Flags', old.flags, new.flags)
    return 0


if __name__ == '__main__':
    sys.exit(main())
