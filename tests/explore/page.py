#!/usr/bin/env python3
"""The page of `epwise explore` in Chromium without a window: editing, controls, fixes, plans, downloads, keyboard, contrast, sizes.

    tests/explore/page.py BIN [--pictures FOLDER]

Exit 77 with a reason where there is no Chromium (Debian: chromium).
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from browser import Browser
from serving import Page

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from sampling import share  # noqa: E402

ROOT = HERE.parents[1]
RECIPE = ROOT / "examples/seeds/q30-ep16-off.yaml"
TARGET = ("--hw", "h100", "--gpus", "16", "--stack", "nemo-26.06")
SIZES = {"phone": (420, 900), "laptop": (1280, 960), "4k": (3840, 2160)}
failures = []


def expect(what, holds, more=""):
    if not holds:
        failures.append(f"{what} {more}")


def loaded(browser):
    browser.until("document.body && document.body.dataset.answers", "the first answer")


def answers(browser):
    return int(browser.evaluate("document.body.dataset.answers"))


def changed(browser, act):
    """Does something, and waits for the answer to it."""
    known = answers(browser)
    act()
    browser.until(f"Number(document.body.dataset.answers) > {known}", "an answer")


def term(browser, name):
    return browser.evaluate(f"(document.querySelector('#waterfall tr[data-term={name}]') || {{}}).textContent || ''")


def check_refused(browser, page):
    browser.open(f"http://127.0.0.1:{page.port}/?token={'0' * 32}")
    text = browser.until("document.body && document.body.textContent", "a refusal")
    expect("a wrong token:", "token is missing or wrong" in text and "Recipe" not in text, text)


def check_editing(browser):
    verdict = "document.getElementById('verdict').textContent"
    expect("it starts:", not browser.evaluate(verdict).startswith("would not"), browser.evaluate(verdict))
    changed(browser, lambda: browser.evaluate("""(() => { const area = document.getElementById('text'); area.focus();
        const at = area.value.indexOf('expert_model_parallel_size: 16') + 'expert_model_parallel_size: '.length;
        area.setSelectionRange(at, at + 2); document.execCommand('insertText', false, '7'); })()"""))
    expect("findings follow the text:", browser.evaluate(verdict).startswith("would not start"), browser.evaluate(verdict))
    expect("a mark at the line:", browser.evaluate("document.querySelectorAll('#bands .error').length") > 0)
    expect("a finding in the list:", browser.evaluate("document.querySelectorAll('#findings li.error').length") > 0)
    line = browser.evaluate("(document.querySelector('#findings li.error .row button') || {}).textContent || ''")
    expect("with its line:", line.startswith("Line "), line)
    expect("with a fix:", browser.evaluate("document.querySelectorAll('#findings li.error .fix').length") > 0)
    changed(browser, lambda: browser.evaluate("document.querySelector('#findings li.error .fix').click()"))
    fixed = browser.evaluate("document.getElementById('text').value")
    expect("the fix changes the text:", "expert_model_parallel_size: 7" not in fixed)
    expect("and the verdict:", not browser.evaluate(verdict).startswith("would not"), browser.evaluate(verdict))
    original = RECIPE.read_text()
    for _ in range(4):
        if browser.evaluate("document.getElementById('text').value") == original:
            break
        changed(browser, lambda: browser.evaluate("document.getElementById('text').focus(), document.execCommand('undo')"))
    expect("undo brings the text back:", browser.evaluate("document.getElementById('text').value") == original)


def check_controls(browser):
    before = {name: term(browser, name) for name in ("dispatch", "combine")}
    expect("a waterfall:", all(before.values()), before)
    browser.evaluate("document.getElementById('axis-expert').focus()")
    changed(browser, lambda: browser.key("ArrowLeft", 37))  # the keyboard moves a slider
    text = browser.evaluate("document.getElementById('text').value")
    expect("the slider writes the text:", "expert_model_parallel_size: 8" in text, text)
    after = {name: term(browser, name) for name in before}
    expect("the waterfall follows:", after != before, after)
    expect("the focus stays:", browser.evaluate("document.activeElement.id") == "axis-expert")
    expect("it says by how much:", browser.evaluate("document.querySelectorAll('#figures .better, #figures .worse').length") > 0)
    target = "document.getElementById('target').textContent"
    changed(browser, lambda: browser.evaluate("""(() => { const menu = document.getElementById('hw'); menu.value = 'gb200';
        menu.dispatchEvent(new Event('change')); })()"""))
    expect("the GPU of the page:", "gb200" in browser.evaluate(target), browser.evaluate(target))
    changed(browser, lambda: browser.evaluate("""(() => { const menu = document.getElementById('hw'); menu.value = 'h100';
        menu.dispatchEvent(new Event('change')); })()"""))
    expect("stages:", browser.evaluate("document.querySelectorAll('#stages tbody tr').length") >= 1)
    expect("the limit line:", browser.evaluate("document.querySelectorAll('#stages .limit').length") >= 1)
    browser.until("document.querySelectorAll('#dispatchers tbody tr').length >= 2", "the table of dispatchers")


def check_plans(browser):
    browser.evaluate("document.getElementById('search').click()")
    browser.until("!document.getElementById('cancel').hidden", "a search that can be cancelled")
    browser.evaluate("document.getElementById('cancel').click()")
    browser.until("document.getElementById('cancel').hidden", "the end of a cancelled search")
    expect("cancelled or done:", browser.evaluate("document.getElementById('search-note').textContent") != "")
    browser.evaluate("document.getElementById('search').click()")
    browser.until("document.querySelectorAll('#plans .apply').length", "plans")
    text = browser.evaluate("document.getElementById('text').value")
    changed(browser, lambda: browser.evaluate("document.querySelector('#plans .apply').click()"))
    expect("a plan changes the text:", browser.evaluate("document.getElementById('text').value") != text)
    verdict = browser.evaluate("document.getElementById('verdict').textContent")
    expect("to one that starts:", not verdict.startswith("would not"), verdict)


def check_downloads(browser):
    with tempfile.TemporaryDirectory() as folder:
        browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=folder)
        for button in ("save", "report", "advice-report"):
            browser.evaluate(f"document.getElementById('{button}').click()")
        wanted = {RECIPE.name, f"{RECIPE.stem}-simulate.html", f"{RECIPE.stem}-advise.html"}
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and {each.name for each in pathlib.Path(folder).iterdir()} != wanted:
            time.sleep(0.1)
        files = {each.name: each.read_text() for each in pathlib.Path(folder).iterdir()}
        expect("three files:", set(files) == wanted, set(files))
        expect("the recipe:", files.get(RECIPE.name) == browser.evaluate("document.getElementById('text').value"))
        expect("reports:", all(text.startswith("<!doctype html>") for name, text in files.items() if name.endswith(".html")))


def check_keyboard(browser):
    """Tab reaches every control, and each shows its focus."""
    browser.evaluate("document.activeElement.blur(), window.scrollTo(0, 0)")
    reached, unseen = set(), set()
    for _ in range(150):
        browser.key("Tab", 9)
        found = browser.evaluate("""(() => { const at = document.activeElement; if (!at || at === document.body) { return null; }
            const style = getComputedStyle(at);
            return {id: at.id || at.className + at.textContent.slice(0, 20), seen: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2}; })()""")
        if found is None:  # from the last to the first
            continue
        reached.add(found["id"])
        if not found["seen"]:
            unseen.add(found["id"])
    for name in ("text", "hw", "gpus", "gpus-slider", "axis-expert", "axis-dispatcher", "search", "mark", "save", "report"):
        expect("Tab reaches", name in reached, name)
    expect("every focus is seen:", not unseen, unseen)


def check_looks(browser, page, pictures):
    checks = (HERE / "checks.js").read_text()
    wrong = RECIPE.read_text().replace("expert_model_parallel_size: 16", "expert_model_parallel_size: 7")
    looks = [(size, dark) for size in SIZES for dark in (False, True)]
    for size, dark in looks if pictures else looks[:: share(5)]:  # a share of five: the first in light, the last in dark
        browser.open(page.address, *SIZES[size], dark)
        time.sleep(0.2)
        loaded(browser)
        browser.until("document.querySelectorAll('#dispatchers tbody tr').length >= 2", "the table of dispatchers")
        tone = "dark" if dark else "light"
        for complaint in browser.evaluate(checks):
            expect(f"{size}, {tone}:", False, complaint)
        if pictures:
            browser.picture(pictures / f"{size}-{tone}.png")
        changed(browser, lambda: browser.evaluate(f"""(() => {{ const area = document.getElementById('text');
            area.value = {json.dumps(wrong)}; area.dispatchEvent(new Event('input')); }})()"""))
        for complaint in browser.evaluate(checks):
            expect(f"{size}, {tone}, with errors:", False, complaint)
        if pictures:
            browser.picture(pictures / f"{size}-{tone}-errors.png")
            browser.picture(pictures / f"{size}-{tone}.webp", whole=False)


def check_reports(browser, binary, pictures):
    """The pages that `simulate` and `advise` write."""
    checks = (HERE / "checks.js").read_text()
    with tempfile.TemporaryDirectory() as folder:
        for command in ("simulate", "advise"):
            path = pathlib.Path(folder) / f"{command}.html"
            subprocess.run([binary, command, str(RECIPE), *TARGET, "-f", f"html={path}"], check=True, capture_output=True, timeout=300)
            looks = [(size, dark) for size in ("phone", "laptop") for dark in (False, True)]
            for size, dark in looks if pictures else looks[:: share(3)]:
                browser.open(path.as_uri(), *SIZES[size], dark)
                browser.until(f"document.title.endsWith('epwise {command}') && document.readyState === 'complete'", "a report")
                for complaint in browser.evaluate(checks):
                    expect(f"report of {command}, {size}, {'dark' if dark else 'light'}:", False, complaint)
                if pictures:
                    browser.picture(pictures / f"{command}-{size}-{'dark' if dark else 'light'}.png")


def main(binary, pictures):
    if shutil.which("chromium") is None:
        print("skipped: there is no Chromium")
        return 77
    page = Page(binary, str(RECIPE.relative_to(ROOT)), *TARGET, cwd=ROOT)
    browser = Browser()
    try:
        check_refused(browser, page)
        browser.open(page.address)
        loaded(browser)
        check_editing(browser)
        check_controls(browser)
        check_plans(browser)
        check_downloads(browser)
        check_keyboard(browser)
        check_looks(browser, page, pictures)
        check_reports(browser, binary, pictures)
        outside = [each["params"]["request"]["url"] for each in browser.events if each.get("method") == "Network.requestWillBeSent"
                   and not each["params"]["request"]["url"].startswith((f"http://127.0.0.1:{page.port}/", "data:", "blob:", "about:", "file:"))]
        expect("nothing from a network:", not outside, outside)
        wrong = [each["params"] for each in browser.events if each.get("method") == "Runtime.exceptionThrown" or (
            each.get("method") == "Log.entryAdded" and each["params"]["entry"]["level"] == "error" and "403" not in str(each))]
        expect("no error in the page:", not wrong, wrong)
    finally:
        browser.end()
        expect("Ctrl-C:", page.end() == 0)
    for failure in failures:
        print("FAIL:", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    arguments = sys.argv[1:]
    folder = None
    if len(arguments) == 3 and arguments[1] == "--pictures":
        folder = pathlib.Path(arguments[2])
        folder.mkdir(parents=True, exist_ok=True)
    elif len(arguments) != 1:
        sys.exit(__doc__)
    sys.exit(main(str(pathlib.Path(arguments[0]).resolve()), folder))
