"""Places and programs that every user can get at, for tests that root runs as nobody."""

import os
import pathlib
import shutil
import tempfile


def folder() -> str:
    """A folder for temporary files that every user may enter: $TMPDIR may lie below one that only root may."""
    def is_open(place: pathlib.Path) -> bool:
        return all(each.stat().st_mode & 0o001 for each in (place, *place.parents))

    return next(name for name in (tempfile.gettempdir(), "/tmp", "/var/tmp") if is_open(pathlib.Path(name).resolve()))


def copy(program: str, into: str) -> str:
    """The program again, where everybody may run it."""
    place = shutil.copy(program, pathlib.Path(into) / pathlib.Path(program).name)
    os.chmod(place, 0o755)
    return str(place)
