"""Which rules cite a check of upstream's, from the repository alone: the references of the rules that have a `launch`, and the fingerprints
of the cited lines in rules/tables/fragments.yaml (function, line in each release, hashes of the error's words)."""
import collections, pathlib, re, sys
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'rules'))
from fragments import CHECK_NEAR, REFERENCE, fnv, span  # noqa: E402
LOADER = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)
LEAST_WORDS = 0.5  # more than these of an error's hashes are in the message of its refusal: the others may be names and numbers
NEIGHBOURS = {'bridge 0.6.2': 'bridge 0.6.0'}  # the nearest tag, where some lines differ


def words_of(message):
    """Hashes of a message, as fragments.py makes them of the text in the source."""
    words = re.findall(r'[A-Za-z0-9_\-]+', message.lower())
    return {fnv(word, 32) for word in words if len(word) >= 8} | {fnv(' '.join(words[at:at + 3]), 32) for at in range(len(words) - 2)}


def in_function(file, function):
    return file.rsplit('/', 1)[-1], function.rsplit('.', 1)[-1]


class Checks:
    """The cited checks of one release."""

    def __init__(self, framework, version):
        self.label = NEIGHBOURS.get(f'{framework} {version}', f'{framework} {version}')
        self.exact = self.label == f'{framework} {version}'
        cited = collections.defaultdict(list)
        for fragment in yaml.load((ROOT / 'rules/tables/fragments.yaml').read_text(), LOADER)['fragments']:
            place, _, lines = fragment['at'].rpartition(':')
            cited[place].append((span(lines), fragment))
        self.checks = collections.defaultdict(list)  # (file, function): (code, fragment)
        for path in sorted((ROOT / 'rules').glob('*/*.yaml')):
            text = path.read_text('utf-8')
            code, launch = re.search(r'^code: (\w+)', text, re.M), re.search(r'^launch:(.*?)^\w', text, re.M | re.S)
            if not code or not launch:
                continue
            places = set(map(int, re.findall(r'@(\d+)', launch[1])))
            for repository, commit, file, lines in (match.groups() for match in map(REFERENCE.match, text.splitlines()) if match and match[4]):
                first, last = span(lines)
                for (begin, end), fragment in cited[f'{repository}@{commit} {file}']:
                    if (begin, end) == (first, last) or begin in places and first - CHECK_NEAR <= begin <= last + CHECK_NEAR:
                        self.checks[in_function(file, fragment['in'])].append((code[1], fragment))

    def codes(self, expect):
        """Codes of the rules that cite the check that refused, by its line or, where the line in the release is not known for certain, by its
        message; [] if none is known to.

        >>> checks = Checks('mlm', '0.19.0')
        >>> checks.codes({'at': 'optimizer_config.py:__post_init__:0', 'message': 'anything else'})
        []
        """
        place, _, line = str(expect.get('at')).rpartition(':')
        said = words_of(str(expect.get('message')))
        found = set()
        for code, fragment in self.checks.get(in_function(*place.split(':', 1)), ()) if ':' in place else ():
            marks, seen = set(fragment.get('message', ())), fragment['seen'].get(self.label)
            near = seen is not None and seen - fragment['lines'] <= int(line) <= seen + 1
            if near or not (self.exact and seen is not None) and len(marks & said) > LEAST_WORDS * len(marks):
                found.add(code)
        return sorted(found)
