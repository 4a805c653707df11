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
    browser.until("document.querySelectorAll('#findings li.error .fix').length", "a fix that is known to resolve the finding")
    changed(browser, lambda: browser.evaluate("document.querySelector('#findings li.error .fix').click()"))
    fixed = browser.evaluate("document.getElementById('text').value")
    expect("the fix changes the text:", "expert_model_parallel_size: 7" not in fixed)
    expect("and the verdict:", not browser.evaluate(verdict).startswith("would not"), browser.evaluate(verdict))
    original = RECIPE.read_text()
    undo_to(browser, original)


def undo_to(browser, text):
    for _ in range(6):
        if browser.evaluate("document.getElementById('text').value") == text:
            return
        changed(browser, lambda: browser.evaluate("document.getElementById('text').focus(), document.execCommand('undo')"))
    expect("undo brings the text back:", browser.evaluate("document.getElementById('text').value") == text)


def choose(browser, menu, value):
    changed(browser, lambda: browser.evaluate(f"""(() => {{ const menu = document.getElementById('{menu}'); menu.value = '{value}';
        menu.dispatchEvent(new Event('change')); }})()"""))


def judged(browser):
    browser.until("document.body.dataset.moves === document.body.dataset.answers", "which moves are valid")


def check_moves(browser):
    """What a menu offers, and that a move brings what it needs."""
    original = browser.evaluate("document.getElementById('text').value")
    judged(browser)
    disabled = browser.evaluate("[...document.querySelectorAll('#axes option:disabled')].map((each) => each.parentElement.id + ' ' + each.value)")
    expect("NVFP4 is not for this GPU:", "axis-precision nvfp4" in disabled, disabled)
    expect("a reason is shown:", "PRC006" in browser.evaluate("document.querySelector('.reasons[data-axis=precision]').textContent"))
    expect("no MLA, no recompute of it:", not browser.evaluate("document.querySelector('#axis-recompute option[value=projections]')"))
    most = "Number(document.getElementById('axis-expert').max)"
    expect("the slider ends at the GPUs:", browser.evaluate(most) == 4, browser.evaluate(most))
    choose(browser, "axis-graphs", "attention")
    text = browser.evaluate("document.getElementById('text').value")
    expect("graphs bring their RNG tracker:", "te_rng_tracker: true" in text, text)
    expect("and say so:", "te_rng_tracker" in browser.evaluate("document.getElementById('also').textContent"))
    verdict = browser.evaluate("document.getElementById('verdict').textContent")
    expect("to a recipe that starts:", not verdict.startswith("would not"), verdict)
    choose(browser, "axis-fusions", "on")
    choose(browser, "axis-fusions", "off")
    undo_to(browser, original)


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
    choose(browser, "hw", "gb200")
    expect("the GPU of the page:", "gb200" in browser.evaluate(target), browser.evaluate(target))
    choose(browser, "hw", "h100")
    expect("stages:", browser.evaluate("document.querySelectorAll('#stages tbody tr').length") >= 1)
    expect("the limit line:", browser.evaluate("document.querySelectorAll('#stages .limit').length") >= 1)
    browser.until("document.querySelectorAll('#dispatchers tbody tr').length >= 2", "the table of dispatchers")


def check_obstacle(browser, page):
    """A plan that cannot be written shows why, and what to launch with."""
    advice = page.ask("/api/progress", {"what": "plans"})[0]["advice"]
    plans = advice["plans"] + advice["too_close"]
    plans[0] = {**plans[0], "obstacle": "`x` is a whole section", "environment": {"A_VARIABLE": "32"},
                "risk": {"level": "high", "because": ["a reason"]}, "bring_up": [{"what": "one part", "check": "the loss"}]}
    advice["plans"], advice["too_close"] = plans, []
    browser.evaluate(f"drawPlans({json.dumps(advice)})")
    card = "document.querySelector('#plans > li')"
    shown = browser.evaluate(f"{card}.textContent")
    for what in ("is a whole section", "A_VARIABLE=32", "high: a reason", "one part: check the loss"):
        expect("a plan shows", what in shown, what)
    expect("nothing to apply:", not browser.evaluate(f"{card}.querySelector('.apply')"))


def check_repairs(browser):
    """Plans of a recipe with errors name the fixes on which they build."""
    original = browser.evaluate("document.getElementById('text').value")
    changed(browser, lambda: browser.evaluate("""(() => { const area = document.getElementById('text'); area.focus();
        const from = area.value.indexOf('expert_model_parallel_size: ') + 'expert_model_parallel_size: '.length;
        area.setSelectionRange(from, area.value.indexOf('\\n', from)); document.execCommand('insertText', false, '7'); })()"""))
    browser.evaluate("document.getElementById('search').click()")
    browser.until("document.getElementById('fixed').textContent", "the fixes before the plans")
    fixed = browser.evaluate("document.getElementById('fixed').textContent")
    expect("the fixes:", "expert_model_parallel_size: 7 →" in fixed and "experts/" in fixed, fixed)
    undo_to(browser, original)


def check_plans(browser, page):
    browser.evaluate("document.getElementById('search').click()")
    browser.until("!document.getElementById('cancel').hidden", "a search that can be cancelled")
    browser.evaluate("document.getElementById('cancel').click()")
    browser.until("document.getElementById('cancel').hidden", "the end of a cancelled search")
    expect("cancelled or done:", browser.evaluate("document.getElementById('search-note').textContent") != "")
    browser.evaluate("document.getElementById('search').click()")
    browser.until("document.querySelectorAll('#plans .apply').length", "plans")
    check_obstacle(browser, page)
    browser.evaluate("document.getElementById('search').click()")
    browser.until("document.querySelectorAll('#plans .apply').length", "plans")
    outdated = "document.getElementById('search-note').textContent"
    ready = "document.querySelectorAll('#plans .apply:disabled').length"
    choose(browser, "hw", "h200")
    expect("plans for another GPU:", "target was changed" in browser.evaluate(outdated) and browser.evaluate(ready) > 0, browser.evaluate(outdated))
    choose(browser, "hw", "h100")
    expect("for this one again:", browser.evaluate(ready) == 0, browser.evaluate(outdated))
    text = browser.evaluate("document.getElementById('text').value")
    changed(browser, lambda: browser.evaluate("document.querySelector('#plans .apply').click()"))
    expect("a plan changes the text:", browser.evaluate("document.getElementById('text').value") != text)
    verdict = browser.evaluate("document.getElementById('verdict').textContent")
    expect("to one that starts:", not verdict.startswith("would not"), verdict)
    expect("the other plans are outdated:", "text was changed" in browser.evaluate(outdated), browser.evaluate(outdated))
    undo_to(browser, text)


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
        check_moves(browser)
        check_controls(browser)
        check_plans(browser, page)
        check_downloads(browser)
        check_repairs(browser)
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
