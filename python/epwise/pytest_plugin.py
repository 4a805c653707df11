"""pytest --epwise PACKAGE: lints every recipe function of a package, one test each.

A recipe function is public, defined in the package, and annotated to return a ConfigContainer; one without an annotation
is recognised by its name (`epwise_functions`, *_config and *_recipe unless set). It is called without
arguments when its test runs, and its result is linted. pytest's own marks on it apply: skip, skipif, xfail, and
`epwise` with other parameters of epwise.lint (@pytest.mark.epwise(hw="gb200", gpus=256, ignore=["HYG001"])).
"""

from __future__ import annotations

import fnmatch
import importlib
import inspect
from collections.abc import Callable
from typing import Any

import pytest

from ._calls import lint
from ._discovery import module_names, recipe_functions
from ._errors import Error
from ._tree import is_namespace, is_recipe

ONE = {
    "hw": "GPU that the recipes run on, or auto",
    "gpus": "number of GPUs of the whole job",
    "stack": "software: te=2.14.0,torch=2.9.1,...; a released container; auto",
    "fail-on": "the severity from which a recipe fails: error (default), warning, note",
    "configuration": "this file instead of the nearest .epwise.yaml, or none",
}
LISTS = {
    "packages": "packages and modules whose recipe functions are linted",
    "functions": "names of recipe functions that don't say what they return",
    "skip": "PATTERN: REASON, recipes (package.module.function) that are not linted",
    "select": "only these rules",
    "ignore": "not these rules",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("epwise", "recipes of Megatron-Bridge and Megatron-LM")
    group.addoption("--epwise", action="append", default=[], metavar="PACKAGE", help="lint its recipe functions; repeatable")
    for name, text in ONE.items():
        group.addoption(f"--epwise-{name}", default=None, metavar=name.upper(), help=text)
        parser.addini("epwise_" + name.replace("-", "_"), text, default="")
    for name, text in LISTS.items():
        parser.addini(f"epwise_{name}", text, type="linelist", default=[])


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "epwise(**parameters): parameters of epwise.lint for this recipe function")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    for package in [*config.getini("epwise_packages"), *config.getoption("epwise")]:
        items += Package.from_parent(session, name=package, nodeid=package).collect()


class Package(pytest.Collector):
    """A package or module that was named."""

    def collect(self) -> list[pytest.Item]:
        items: list[pytest.Item] = []
        for name in module_names(self.name):
            try:
                module = importlib.import_module(name)
            except Exception as error:
                items.append(Unimportable.from_parent(self, name=name, nodeid=name, error=error))
                continue
            for function in recipe_functions(module, self.config.getini("epwise_functions")):
                place = {"name": f"{name}.{function.__name__}", "nodeid": f"{name}::{function.__name__}"}
                items.append(Recipe.from_parent(self, **place, function=function))
        if not items:
            raise pytest.UsageError(f"--epwise {self.name}: it contains no recipe function")
        for item in items:
            skip_as_configured(item)
        return items


class Recipe(pytest.Item):
    """One recipe function."""

    def __init__(self, *, function: Callable[..., Any], **more: Any) -> None:
        super().__init__(**more)
        self.obj = function
        for mark in marks_of(function):
            self.add_marker(mark)

    def runtest(self) -> None:
        missing = [name for name, given in inspect.signature(self.obj).parameters.items() if is_demanded(given)]
        if missing:
            pytest.skip(f"it takes arguments ({', '.join(missing)}); lint what calls it")
        recipe = self.obj()
        if not is_recipe(recipe) and not is_namespace(recipe):
            pytest.skip(f"it returned a {type(recipe).__qualname__}, no recipe")
        report = lint(recipe, **self.parameters())
        if report.exit_code != 0:
            raise LintFailure(str(report))

    def parameters(self) -> dict[str, Any]:
        given: dict[str, Any] = {"name": self.name}
        for name in ONE:
            value = self.config.getoption(f"--epwise-{name}") or self.config.getini("epwise_" + name.replace("-", "_"))
            if value:
                given[name.replace("-", "_")] = value
        for name in ("select", "ignore"):
            given[name] = self.config.getini(f"epwise_{name}")
        for mark in reversed(list(self.iter_markers("epwise"))):
            given.update(mark.kwargs)
        return given

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, (LintFailure, Error)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def _traceback_filter(self, excinfo: pytest.ExceptionInfo[BaseException]) -> Any:
        return excinfo.traceback.cut(path=__file__)[1:]  # a mistake of the recipe's own: from the recipe on

    def reportinfo(self) -> tuple[str, int | None, str]:
        path = inspect.getsourcefile(inspect.unwrap(self.obj)) or str(self.path)
        return path, inspect.unwrap(self.obj).__code__.co_firstlineno - 1, self.obj.__name__


class Unimportable(pytest.Item):
    """A module that can't be imported: none of its recipes can be checked."""

    def __init__(self, *, error: Exception, **more: Any) -> None:
        super().__init__(**more)
        self.error = error

    def runtest(self) -> None:
        raise LintFailure(f"can't import {self.name}: {type(self.error).__name__}: {self.error}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        return str(excinfo.value)

    def reportinfo(self) -> tuple[str, int | None, str]:
        return str(self.path), None, self.name


class LintFailure(Exception):
    """The findings, as `epwise lint` prints them."""


def is_demanded(parameter: inspect.Parameter) -> bool:
    gathers = parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return parameter.default is inspect.Parameter.empty and not gathers


def marks_of(function: Callable[..., Any]) -> list[Any]:
    """What decorators such as @pytest.mark.skip left on it."""
    marks = getattr(function, "pytestmark", [])
    return [getattr(pytest.mark, mark.name).with_args(*mark.args, **mark.kwargs) for mark in marks]


def skip_as_configured(item: pytest.Item) -> None:
    for line in item.config.getini("epwise_skip"):
        pattern, _, reason = line.partition(":")
        if not reason.strip():
            raise pytest.UsageError(f"epwise_skip: `{line}` gives no reason; write PATTERN: REASON")
        if fnmatch.fnmatch(item.name, pattern.strip()):
            item.add_marker(pytest.mark.skip(reason=reason.strip()))
