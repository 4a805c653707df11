"""pytest --epwise PACKAGE."""

import pathlib
import shutil

import epwise
import pytest

HERE = pathlib.Path(__file__).parent


@pytest.fixture
def package(pytester):
    shutil.copytree(HERE / "sample_recipes", pytester.path / "sample_recipes")
    pytester.syspathinsert()
    return pytester


def run(pytester, *words):
    return pytester.runpytest_subprocess("-p", "no:cacheprovider", "-rs", *words)


def test_every_recipe_function_is_a_test(package):
    result = run(package, "--epwise", "sample_recipes", "--epwise-hw", "h100", "--epwise-gpus", "64", "-v")
    result.assert_outcomes(passed=2, failed=3, skipped=3)
    result.stdout.fnmatch_lines_random([
        "sample_recipes.moe::sound_pretrain*PASSED*",
        "sample_recipes.moe::other_cluster_pretrain*PASSED*",
        "sample_recipes.moe::indivisible_pretrain*FAILED*",
        "sample_recipes.moe::unannotated_config*FAILED*",
        "sample_recipes.moe::broken_pretrain*FAILED*",
        '*KeyError: "a mistake of the recipe*',
        "*waits for another cluster*",
        "*it takes arguments (experts)*",
        "*it returned a list, no recipe*",
    ])
    result.stdout.no_fnmatch_line("*_private_config*")
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_a_failure_shows_what_the_command_prints(package):
    from sample_recipes import ConfigContainer, Train

    report = epwise.lint(
        ConfigContainer(train=Train(global_batch_size=1000)), hw="h100", gpus=64, name="sample_recipes.moe.indivisible_pretrain"
    )
    result = run(package, "--epwise", "sample_recipes.moe", "--epwise-hw", "h100", "--epwise-gpus", "64", "-k", "indivisible")
    result.assert_outcomes(failed=1, deselected=7)
    assert str(report).rstrip() in result.stdout.str()
    assert "error[batch/indivisible]" in str(report)


def test_settings_of_a_project(package):
    package.makeini("""
        [pytest]
        epwise_packages = sample_recipes
        epwise_hw = h100
        epwise_gpus = 64
        epwise_ignore = PAR019
        epwise_skip =
            *.broken_*: nobody runs it any more
            *.unannotated_config: too many experts
    """)
    result = run(package)
    assert result.parseoutcomes()["skipped"] == 5
    result.stdout.fnmatch_lines_random(["*nobody runs it any more*", "*too many experts*"])
    result.stdout.no_fnmatch_line("*PAR019*")


def test_a_skip_without_a_reason_is_refused(package):
    package.makeini("[pytest]\nepwise_packages = sample_recipes\nepwise_skip = *.broken_*\n")
    result = run(package)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*gives no reason*"])


def test_nothing_passes_silently(package):
    (package.path / "sample_recipes" / "torn.py").write_text("import nothing_of_that_name\n")
    result = run(package, "--epwise", "sample_recipes.torn")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*can't import sample_recipes.torn: ModuleNotFoundError*"])
    (package.path / "sample_recipes" / "empty.py").write_text("")
    result = run(package, "--epwise", "sample_recipes.empty")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*it contains no recipe function*"])
    result = run(package, "--epwise", "sample_recipes.moe", "-k", "sound", "--epwise-hw", "h10")
    result.assert_outcomes(failed=1, deselected=7)
    result.stdout.fnmatch_lines(["*did you mean `h100`*"])


def test_without_options_the_plugin_is_silent(pytester):
    pytester.makepyfile("def test_one(): pass")
    run(pytester).assert_outcomes(passed=1)
