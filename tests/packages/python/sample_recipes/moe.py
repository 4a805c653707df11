"""Recipe functions, and what looks like some."""

import pytest

from . import ConfigContainer, Model, Train


def sound_pretrain() -> ConfigContainer:
    return ConfigContainer()


def indivisible_pretrain() -> "ConfigContainer":
    return ConfigContainer(train=Train(global_batch_size=1000))


def unannotated_config():
    return ConfigContainer(model=Model(expert_model_parallel_size=7))


def with_arguments(experts: int) -> ConfigContainer:
    return ConfigContainer(model=Model(num_moe_experts=experts))


def paths_config():
    return ["no", "recipe"]


@pytest.mark.skip(reason="waits for another cluster")
def skipped_pretrain() -> ConfigContainer:
    raise AssertionError("a skipped recipe is not called")


@pytest.mark.epwise(gpus=40)
def other_cluster_pretrain() -> ConfigContainer:
    return ConfigContainer(train=Train(global_batch_size=1000))


def broken_pretrain() -> ConfigContainer:
    raise KeyError("a mistake of the recipe's own")


def _private_config():
    raise AssertionError("private functions are not recipes")
