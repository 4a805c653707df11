#!/usr/bin/env python3
"""Builds the documentation with mkdocs: docs/*.md, the READMEs that they link to, and the reference generated from the program.

    docs/site/build.py BIN [FOLDER]     the site is FOLDER/site, by default build/docs/site

mkdocs runs with --strict; then every link between pages and to a heading is checked in the built pages. Exit status: 0 built, 1 something is
wrong (printed), 77 mkdocs is not installed.
"""
import html, os, pathlib, posixpath, re, shutil, subprocess, sys, urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import reference  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r'(!?)\[([^\]]*)\]\(([^)\s]+)\)')


def site_path(source):
    """Where a Markdown file of the repository is in the site."""
    if source.startswith('docs/'):
        return source[len('docs/'):]
    folder, name = posixpath.split(source)
    return 'repository/' + (folder.replace('/', '-') if name == 'README.md' else posixpath.join(folder, name[:-3].lower()).replace('/', '-')) + '.md'


class Stage:
    """The pages that mkdocs reads."""

    def __init__(self, folder):
        self.folder, self.done, self.waiting, self.problems = folder, set(), [], []

    def write(self, path, text):
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def add(self, source):
        if source not in self.done:
            self.done.add(source)
            self.waiting.append(source)

    def linked(self, source, match):
        """A link with its new target; without a target in the site, only its text."""
        picture, text, target = match.groups()
        address, _, heading = target.partition('#')
        if picture or not address or ':' in address:
            return match[0]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), address))
        if not (ROOT / path).exists():
            self.problems.append(f'{source}: links to {target}, which does not exist')
            return text
        if not path.endswith('.md'):
            return text
        self.add(path)
        where = posixpath.relpath(site_path(path), posixpath.dirname(site_path(source)) or '.')
        return f'[{text}]({where}{"#" + heading if heading else ""})'

    def page(self, source):
        fenced, out = False, []
        for line in (ROOT / source).read_text().split('\n'):
            fenced ^= line.startswith('```')
            out.append(line if fenced else LINK.sub(lambda match: self.linked(source, match), line))
        self.write(site_path(source), '\n'.join(out))

    def all(self, binary):
        for path in sorted((ROOT / 'docs').glob('*.md')):
            self.add(f'docs/{path.name}')
        while self.waiting:
            self.page(self.waiting.pop(0))
        for path, text in reference.pages(binary):
            self.write(path, text)
        shutil.copytree(ROOT / 'docs/pictures', self.folder / 'pictures')
        shutil.copy(ROOT / 'docs/site/style.css', self.folder / 'style.css')


def broken_links(site):
    """Links of the built pages that lead to no file or no heading."""
    ids, texts = {}, {}
    for path in site.rglob('*.html'):
        texts[path] = path.read_text()
        ids[path] = set(re.findall(r'\bid="([^"]*)"', texts[path]))
    for path, text in texts.items():
        if path.name in ('404.html', 'search.html'):
            continue
        for target in re.findall(r'<a [^>]*href="([^"]*)"', text):
            address, _, heading = urllib.parse.unquote(html.unescape(target)).partition('#')
            if ':' in address or address.startswith('/') or not (address or heading):
                continue
            other = pathlib.Path(os.path.normpath(path.parent / address)) if address else path
            if not other.exists() or heading and other in ids and heading not in ids[other]:
                yield f'{path.relative_to(site)}: no {target}'


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    binary = pathlib.Path(sys.argv[1]).resolve()
    folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else ROOT / 'build/docs').resolve()
    mkdocs = shutil.which('mkdocs')
    if mkdocs is None:
        print('skipped: mkdocs is not installed (Debian: apt-get install mkdocs)')
        return 77
    shutil.rmtree(folder, ignore_errors=True)
    stage = Stage(folder / 'pages')
    stage.all(binary)
    shutil.copy(ROOT / 'docs/site/mkdocs.yml', folder / 'mkdocs.yml')
    run = subprocess.run([mkdocs, 'build', '--strict', '--quiet'], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    problems = [*stage.problems, *(line for line in run.stdout.split('\n') if line.strip())]
    if run.returncode == 0:
        problems += sorted(set(broken_links(folder / 'site')))
    print(*problems, sep='\n')
    count = len(list((folder / 'site').rglob('*.html')))
    print(f'{count} pages in {folder / "site"}, {len(problems)} problems')
    return 1 if problems or run.returncode else 0


if __name__ == '__main__':
    sys.exit(main())
