"""What the calls of this package raise. What is wrong with a recipe is a finding, never an exception."""


class Error(Exception):
    """Anything that kept epwise from looking at a recipe: a file that can't be read, for one."""


class UsageError(Error, ValueError):
    """A parameter or a configuration file is wrong: an unknown GPU, a stack without versions."""


class InternalError(Error, RuntimeError):
    """A mistake of epwise itself; please report it with the recipe."""
