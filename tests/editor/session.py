#!/usr/bin/env python3
"""A session of `epwise lsp` with a real language client (pytest-lsp's, which checks both sides against the protocol).

    tests/editor/session.py BIN

Exit 77 with a reason where no client is installed; `bash tests/editor/install_client.sh` installs one.
"""
import asyncio, os, pathlib, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
VENV = ROOT / 'build/lsp-client/bin/python'
RECIPE = ROOT / 'examples/first_look.yaml'

try:
    import pytest_lsp
    from lsprotocol import types
except ImportError:
    if VENV.is_file() and pathlib.Path(sys.executable) != VENV:
        os.execv(VENV, [str(VENV), *sys.argv])
    print('skipped: pytest-lsp is not installed; `bash tests/editor/install_client.sh` installs it into build/lsp-client')
    sys.exit(77)

SETTINGS = {'hw': 'gb200', 'gpus': 64, 'stack': {'bridge': '0.6.2', 'te': '2.14.0', 'torch': '2.9.1'}}


def at(line, character):
    return types.Position(line=line, character=character)


def span(start, end):
    return types.Range(start=at(*start), end=at(*end))


class Session:
    """One client with one server; texts stand in memory and are never saved."""

    def __init__(self, folder):
        self.folder = folder
        self.texts, self.versions = {}, {}

    async def start(self, binary, capabilities, settings=SETTINGS):
        self.client = pytest_lsp.make_test_lsp_client()
        await self.client.start_io(binary, 'lsp', cwd=str(self.folder))
        params = types.InitializeParams(capabilities=capabilities, root_uri=self.folder.as_uri(), initialization_options=settings)
        self.server = await self.client.initialize_session(params)

    async def stop(self):
        await self.client.shutdown_session()
        await self.client.stop()

    def uri(self, name):
        return (self.folder / name).as_uri()

    async def diagnostics(self, name):
        """What was published for this version of the text."""
        while True:
            found = self.client.diagnostics.get(self.uri(name))
            if found is not None and self.seen.get(name) is not found:
                self.seen[name] = found
                return found
            await self.client.wait_for_notification('textDocument/publishDiagnostics')

    seen = {}

    def open(self, name, text):
        self.texts[name], self.versions[name] = text, 1
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(
            types.TextDocumentItem(uri=self.uri(name), language_id='yaml', version=1, text=text)))

    def change(self, name, edits):
        """Applies text edits, from the last to the first, and tells the server as an editor does."""
        self.versions[name] += 1
        changes = []
        for edit in sorted(edits, key=lambda e: (e.range.start.line, e.range.start.character), reverse=True):
            lines = self.texts[name].splitlines(keepends=True) + ['']
            begin = sum(map(len, lines[:edit.range.start.line])) + edit.range.start.character
            end = sum(map(len, lines[:edit.range.end.line])) + edit.range.end.character
            self.texts[name] = self.texts[name][:begin] + edit.new_text + self.texts[name][end:]
            changes.append(types.TextDocumentContentChangePartial(range=edit.range, text=edit.new_text))
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(
            text_document=types.VersionedTextDocumentIdentifier(uri=self.uri(name), version=self.versions[name]),
            content_changes=changes))

    async def hover(self, name, line, character):
        found = await self.client.text_document_hover_async(types.HoverParams(
            text_document=types.TextDocumentIdentifier(self.uri(name)), position=at(line, character)))
        return found.contents.value if found else ''

    async def actions(self, name, diagnostic, only=None):
        return await self.client.text_document_code_action_async(types.CodeActionParams(
            text_document=types.TextDocumentIdentifier(self.uri(name)), range=diagnostic.range,
            context=types.CodeActionContext(diagnostics=[diagnostic], only=only)))

    async def complete(self, name, line, character):
        found = await self.client.text_document_completion_async(types.CompletionParams(
            text_document=types.TextDocumentIdentifier(self.uri(name)), position=at(line, character)))
        return found.items

    async def hints(self, name):
        return await self.client.text_document_inlay_hint_async(types.InlayHintParams(
            text_document=types.TextDocumentIdentifier(self.uri(name)), range=span((0, 0), (9999, 0))))


def capabilities(pull=False, versioned=True):
    return types.ClientCapabilities(
        general=types.GeneralClientCapabilities(position_encodings=['utf-16']),
        workspace=types.WorkspaceClientCapabilities(
            workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=versioned)),
        text_document=types.TextDocumentClientCapabilities(
            publish_diagnostics=types.PublishDiagnosticsClientCapabilities(related_information=True),
            diagnostic=types.DiagnosticClientCapabilities() if pull else None,
            hover=types.HoverClientCapabilities(content_format=[types.MarkupKind.Markdown]),
            code_action=types.CodeActionClientCapabilities(code_action_literal_support=types.ClientCodeActionLiteralOptions(
                code_action_kind=types.ClientCodeActionKindOptions(value_set=['quickfix', 'source.fixAll'])))))


def check(what, holds, shown=''):
    print(f'{"ok  " if holds else "FAIL"}  {what}', flush=True)
    if not holds:
        sys.exit(f'failed: {what}\n{shown}')


def by_code(diagnostics, code):
    return next((d for d in diagnostics if d.code == code), None)


async def pushed(binary, folder):
    session = Session(folder)
    session.seen = {}
    await session.start(binary, capabilities())
    session.open('a.yaml', RECIPE.read_text())
    found = await session.diagnostics('a.yaml')
    wrong = by_code(found, 'batch/indivisible')
    check('a recipe of examples/ has its diagnostics', wrong is not None and wrong.severity == types.DiagnosticSeverity.Error, found)
    check('at the value', wrong.range == span((12, 21), (12, 25)), wrong)
    check('with related places in the same file', {r.location.uri for r in wrong.related_information} == {session.uri('a.yaml')}, wrong)

    text = await session.hover('a.yaml', 12, 23)
    check('hover over a finding names rule and cause', 'batch/indivisible' in text and 'Every data-parallel rank' in text, text)
    check('and below it the value', 'train.global_batch_size = 1000' in text, text)
    text = await session.hover('a.yaml', 2, 5)
    check('hover over a key tells the value and how it came about',
          'model.num_moe_experts = 128' in text and 'default of Megatron-Bridge 0.6.2' in text, text)

    actions = await session.actions('a.yaml', wrong)
    check('quick fixes name their tier', [a.title for a in actions] and all('[training]' in a.title for a in actions), actions)
    edit = actions[0].edit.document_changes[0]
    check('for the version that is open', edit.text_document.version == 1, edit)
    before = session.texts['a.yaml']
    session.change('a.yaml', edit.edits)
    found = await session.diagnostics('a.yaml')
    check('with a fix applied the finding is gone', by_code(found, 'batch/indivisible') is None, found)
    check('and one line has changed', sum(a != b for a, b in zip(before.splitlines(), session.texts['a.yaml'].splitlines())) == 1)

    backend = by_code(found, 'dispatch/deepep-on-this-gpu')
    for action in await session.actions('a.yaml', backend):
        check(f'every offered edit applies: {action.title}', len(action.edit.document_changes[0].edits) > 0)

    items = await session.complete('a.yaml', 5, 31)
    check('values are completed', {'alltoall', 'flex', 'allgather'} <= {i.label for i in items}, items)
    session.change('a.yaml', [types.TextEdit(range=span((8, 0), (8, 0)), new_text='  moe_ruter_topk\n')])
    await session.diagnostics('a.yaml')
    items = await session.complete('a.yaml', 8, 16)
    check('a misspelt key is met by the nearest', items and items[0].label == 'moe_router_topk'
          and all(i.filter_text == 'moe_ruter_topk' for i in items), items)
    session.change('a.yaml', [types.TextEdit(range=span((8, 0), (8, 16)), new_text='  moe_router_top')])
    await session.diagnostics('a.yaml')
    items = await session.complete('a.yaml', 8, 16)
    check('keys are completed while the text is not well-formed', 'moe_router_topk' in {i.label for i in items}, items)
    check('and not those that stand there', 'num_moe_experts' not in {i.label for i in items})
    check('the file in the folder was never written', not (folder / 'a.yaml').exists())
    await session.stop()


async def rewritten(binary, folder):
    """What Megatron-Bridge replaces at start-up, in a text with an emoji and CRLF."""
    session = Session(folder)
    session.seen = {}
    await session.start(binary, capabilities(versioned=False))
    text = '# 😀\n' + (ROOT / 'examples/qwen3_moe_h100.yaml').read_text()
    session.open('b.yaml', text.replace('tp_comm_overlap: true', 'tp_comm_overlap: true  # 😀').replace('\n', '\r\n'))
    await session.diagnostics('b.yaml')
    hints = await session.hints('b.yaml')
    check('values that the framework replaces have inlay hints', hints and all(h.label.startswith('→') for h in hints), hints)
    lines = session.texts['b.yaml'].split('\r\n')
    hint = next((h for h in hints if 'tp_comm_overlap:' in lines[h.position.line]), None)
    check('right behind the value', hint and lines[hint.position.line][:hint.position.character].endswith('tp_comm_overlap: true')
          and hint.label == '→ false', hints)
    for diagnostic in session.seen['b.yaml']:
        for action in await session.actions('b.yaml', diagnostic):
            texts = [edit.new_text for edits in action.edit.changes.values() for edit in edits]
            check(f'an edit keeps CRLF: {action.title}', all(t.count('\n') == t.count('\r\n') for t in texts), action)
    check('with the reason', all(h.tooltip for h in hints), hints)
    await session.stop()


async def pulled(binary, folder):
    session = Session(folder)
    session.seen = {}
    (folder / '.epwise.yaml').write_text('hw: gb200\ngpus: 64\nstack: bridge=0.6.2,te=2.14.0,torch=2.9.1\n')
    await session.start(binary, capabilities(pull=True), None)
    check('the server offers diagnostics on request', session.server.capabilities.diagnostic_provider is not None)
    session.open('c.yaml', RECIPE.read_text())
    ask = lambda previous=None: session.client.text_document_diagnostic_async(types.DocumentDiagnosticParams(
        text_document=types.TextDocumentIdentifier(session.uri('c.yaml')), previous_result_id=previous))
    first = await ask()
    check('the target comes from .epwise.yaml', by_code(first.items, 'batch/indivisible') is not None, first)
    again = await ask(first.result_id)
    check('nothing is sent twice', again.kind == 'unchanged', again)
    session.open('notes.yaml', 'name: something else\n')
    other = await session.client.text_document_diagnostic_async(types.DocumentDiagnosticParams(
        text_document=types.TextDocumentIdentifier(session.uri('notes.yaml'))))
    check('a YAML file that is no recipe is left alone', not other.items, other)
    (folder / '.epwise.yaml').write_text('hv: gb200\n')
    session.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(changes=[]))
    wrong = await ask()
    check('a wrong configuration is said at every recipe', [d.code for d in wrong.items] == ['configuration'], wrong)
    other = await session.client.text_document_diagnostic_async(types.DocumentDiagnosticParams(
        text_document=types.TextDocumentIdentifier(session.uri('notes.yaml'))))
    check('and at nothing else', not other.items, other)
    await session.stop()


async def accepted(binary, folder):
    """Comments that accept findings, and one that accepts nothing."""
    session = Session(folder)
    session.seen = {}
    await session.start(binary, capabilities(), {'hw': 'h100', 'gpus': 16, 'stack': 'bridge=0.6.2,te=2.14.0,torch=2.9.1'})
    text = 'model:\n  num_layers: 4  # epwise: ignore[PAR019]: of another day\n  num_moe_experts: 8\n  moe_router_topk: 2\n' \
           'comm_overlap:\n  overlap_moe_expert_parallel_comm: true\n  delay_wgrad_compute: true\n'
    session.open('d.yaml', text)
    found = await session.diagnostics('d.yaml')
    needless = by_code(found, 'suppression/unused')
    check('a comment that accepts nothing is told', needless is not None and needless.range.start == at(1, 17), found)
    every = lambda: session.client.text_document_code_action_async(types.CodeActionParams(
        text_document=types.TextDocumentIdentifier(session.uri('d.yaml')), range=span((0, 0), (7, 0)),
        context=types.CodeActionContext(diagnostics=[], only=['source.fixAll'])))
    all_fixes = await every()
    check('what changes nothing in the run can be fixed at once', len(all_fixes) == 1, all_fixes)
    where = [edit.range.start.line for change in all_fixes[0].edit.document_changes for edit in change.edits]
    (action,) = await session.actions('d.yaml', needless)
    session.change('d.yaml', action.edit.document_changes[0].edits)
    check('taking it out leaves its line', session.texts['d.yaml'].splitlines()[1] == '  num_layers: 4', session.texts['d.yaml'])
    found = await session.diagnostics('d.yaml')
    check('and it is gone', by_code(found, 'suppression/unused') is None, found)
    lines = session.texts['d.yaml'].splitlines()
    for code in {d.code for d in found}:
        lines.insert(0, f'# epwise: ignore-file[{code}]: as it is meant here')
    session.change('d.yaml', [types.TextEdit(range=span((0, 0), (7, 0)), new_text='\n'.join(lines) + '\n')])
    found = await session.diagnostics('d.yaml')
    check('what is accepted is not told', found == [] or all(d.code.startswith('suppression/') for d in found), found)
    check('nor fixed', not await every(), where)
    await session.stop()


async def main(binary):
    for part in (pushed, rewritten, pulled, accepted):
        with tempfile.TemporaryDirectory() as folder:
            await asyncio.wait_for(part(binary, pathlib.Path(folder).resolve()), timeout=120)


if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    asyncio.run(main(str(pathlib.Path(sys.argv[1]).resolve())))
