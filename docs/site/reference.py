"""The reference pages of the documentation, generated from the program: `pages(BIN)` yields (path, text)."""
import html, json, re, subprocess

FENCE = '```'
LEVELS = ('error', 'warning', 'note')
EFFECTS = {'refuse': 'the launch is rejected', 'crash': 'the run crashes', 'hang': 'the run hangs', 'wrong': 'a wrong result without a message',
           'memory': 'memory is wasted', 'slow': 'the run is slow', 'style': 'style'}
FRAMEWORKS = {'bridge': 'Megatron-Bridge', 'mlm': 'Megatron-LM'}


def ask(binary, *words):
    return subprocess.run([binary, *words], env={'PATH': '/usr/bin:/bin', 'LANG': 'C.UTF-8'}, stdin=subprocess.DEVNULL, check=True,
                          capture_output=True, text=True).stdout


def plain(text):
    """Text for Markdown; what is in backquotes stays code."""
    parts = re.split(r'(`[^`]+`)', ' '.join(text.split()))
    return ''.join(part if number % 2 else re.sub(r'([\\`*_{}\[\]#|])', r'\\\1', html.escape(part, quote=False))
                   for number, part in enumerate(parts))


def cell(text):
    return '`' + ' '.join(text.split()).replace('`', "'") + '`'


def release_range(version):
    name = FRAMEWORKS[version['framework']]
    since, until = version['since'], version['until']
    if since and until:
        return f'{name} {since}' + ('' if since == until else f' to {until}')
    return f'{name} from {since}' if since else f'{name} to {until}' if until else f'{name}, all versions'


def rule_page(rule):
    out = [f'# {rule["code"]} {plain(rule["id"])}', '', f'**{plain(rule["what"])}.** {rule["severity"].capitalize()}, {rule["confidence"]}'
           + (f'; also known as {", ".join(rule["aliases"])}' if rule['aliases'] else '') + f'; {EFFECTS.get(rule["effect"], rule["effect"])}'
           + (f' ({rule["when"]})' if rule.get('when') else '') + '.', '']
    if rule['why'].strip():
        out += [plain(rule['why']), '']
    rows = [('message', cell(rule['message']))] if rule.get('message') else []
    rows += [(name, cell(rule[key])) for name, key in (('applies when', 'given'), ('must hold', 'assert')) if rule.get(key, 'false') not in ('', 'false')]
    rows += [('checked by', f'{FRAMEWORKS[launch["framework"]]} at start-up, stage `{launch["stage"]}`') for launch in rule['launch']]
    rows += [('versions', '; '.join(map(release_range, rule['versions'])) or 'all')]
    out += ['| | |', '|---|---|', *(f'| {name} | {text} |' for name, text in rows), '']
    if rule['fixes']:
        out += ['Fixes:', '']
        for fix in rule['fixes']:
            changes = ', '.join(f'`{change["field"]}: {" ".join(str(change["value"]).split())}`' if change.get('value') is not None else f'remove `{change["field"]}`' for change in fix['changes'])
            out.append(f'* {plain(fix["title"])} ({fix["tier"]})' + (f': {changes}' if changes else ''))
        out.append('')
    for verdict in ('fails', 'passes'):
        example = next((one for one in rule['examples'] if one['verdict'] == verdict), None)
        if example:
            options = f' with `{example["with"]}`' if example.get('with') else ''
            out += [f'{verdict.capitalize()}{options}:', '', FENCE + 'yaml', example['recipe'].rstrip('\n'), FENCE, '']
    if rule['references']:
        out += ['References:', '', *(f'* <{ref}>' if ref.startswith('http') else f'* `{ref}`' for ref in rule['references']), '']
    return out


def table_of(some):
    """Rules with links to their pages."""
    return ['| code | rule | severity | what |', '|---|---|---|---|',
            *(f'| [{rule["code"]}]({rule["code"].lower()}.md) | {plain(rule["id"])} | {rule["severity"]} | {plain(rule["what"])} |' for rule in some)]


def rules(binary):
    listed = json.loads(ask(binary, 'rules', 'list', '--format', 'json'))['rules']
    topics = {}
    for rule in listed:
        topics.setdefault(rule['id'].split('/')[0], []).append(rule)
    index = ['# Rules', '', f'{len(listed)} rules in {len(topics)} topics. `epwise rules list --when` groups them by consequence.', '', '| topic | errors | warnings | notes |', '|---|---|---|---|']
    for topic, some in sorted(topics.items()):
        counts = [sum(rule['severity'] == level for rule in some) for level in LEVELS]
        index.append(f'| [{topic}]({topic}.md) | ' + ' | '.join(map(str, counts)) + ' |')
        yield f'reference/rules/{topic}.md', '\n'.join([f'# Rules: {topic}', '', *table_of(some)])
        for rule in some:
            yield f'reference/rules/{rule["code"].lower()}.md', '\n'.join(rule_page(rule))
    index += ['', '## By code', '', *table_of(sorted(listed, key=lambda rule: rule['code']))]
    yield 'reference/rules/index.md', '\n'.join(index)


def commands(binary):
    text = ask(binary, '--help')
    names = re.findall(r'^  ([a-z]+)  +(.*)$', text[text.index('Commands:'):text.index('Options of every')], re.M)
    page = ['# Commands', '', '| command | purpose |', '|---|---|', *(f'| [{name}](#epwise-{name}) | {plain(what)} |' for name, what in names), '',
            FENCE, text[text.index('Options of every'):].rstrip('\n'), FENCE, '']
    codes = ['# Exit codes', '', 'Exit codes do not depend on the output format. With several files the worst code wins, in the order 70, 2, 3, 4, 1, 0.', '']
    for name, what in names:
        described = ask(binary, name, '--help').rstrip('\n')
        page += [f'## epwise {name} {{ #epwise-{name} }}', '', FENCE, described, FENCE, '']
        found = re.search(r'^EXIT CODES\n((?:  .*\n?)+)', described, re.M)
        if found:
            codes += [f'## epwise {name}', '', '| code | meaning |', '|---|---|']
            rows = re.findall(r'^  (\d+) +(.*(?:\n {5,}\S.*)*)', found[1], re.M)
            codes += [*(f'| {code} | {plain(meaning)} |' for code, meaning in rows), '']
    yield 'reference/commands.md', '\n'.join(page)
    yield 'reference/exit-codes.md', '\n'.join(codes)


def kind(schema):
    if 'enum' in schema:
        return ', '.join(f'`{value}`' for value in schema['enum'])
    if 'anyOf' in schema:
        return ' or '.join(dict.fromkeys(kind(one) for one in schema['anyOf']))
    types = schema.get('type', 'any')
    text = ' or '.join(types) if isinstance(types, list) else types
    if text == 'array' and isinstance(schema.get('items'), dict) and 'properties' not in schema['items']:
        text = f'list of {kind(schema["items"])}'
    return {'object': 'mapping', 'array': 'list'}.get(text, text)


def members(schema, prefix=''):
    for name, one in schema.get('properties', {}).items():
        yield f'| `{prefix}{name}` | {kind(one)} | {plain(one.get("description", ""))} |'
        inside = one['items'] if isinstance(one.get('items'), dict) else one
        yield from members(inside, f'{prefix}{name}[].' if inside is not one else f'{prefix}{name}.')


def schemas(binary):
    config = json.loads(ask(binary, 'schema', 'config'))
    yield 'reference/configuration.md', '\n'.join([
        '# Configuration', '', 'The nearest `.epwise.yaml` from the recipe\'s folder up to the root of the repository applies. In order of precedence: the option, its '
        '`EPWISE_*` variable, a comment at the top of the recipe (`# epwise: --hw gb200 --gpus 256`), the first entry of `targets` whose `paths` match, and the rest of '
        'the file. `epwise config show --origin FILE` prints every value with its source; `epwise config check` checks the file.', '',
        '| key | type | meaning |', '|---|---|---|', *members(config), ''])
    page = ['# Schemas', '', 'JSON Schemas of our own files and of every JSON output. An output names its schema: `"schema": "epwise.lint/1"` is described by `epwise schema lint`. '
            'Within a major version, members are only added.', '', '| name | describes |', '|---|---|']
    for name in ask(binary, 'schema').split():
        text = ask(binary, 'schema', name)
        schema = json.loads(text)
        page.append(f'| [{name}](schemas/{name}.json) | {plain(schema.get("description") or schema.get("title", ""))} |')
        yield f'reference/schemas/{name}.json', text
    yield 'reference/schemas.md', '\n'.join([*page, ''])


def pages(binary):
    yield from rules(binary)
    yield from commands(binary)
    yield from schemas(binary)
