"""Files of users, and folders that only the user can write to.

Read are ordinary files only, of a sensible size, as bytes, as text, as TOML or as Python: a pipe would hang, a device
never end, a file of another folder is none of a stranger's business. Whatever is wrong with a file is one sentence that
names it. Nothing here knows what the files are about.

Compiled code and paused searches lie in folders of the user's own, and are believed. A folder of others, or one that
others could exchange, is never used: its content could be theirs.
"""

import ast
import errno
import os
import stat
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import platformdirs

from jamaica_sim.errors import UserError

LARGEST_FILE = 256 * 2**20  # bytes: a larger file is not ours, and not read
LARGEST_TEXT = 2**20  # bytes of a text file: ours have a few thousand

AnyPath = str | os.PathLike[str]
Refusal = Callable[[str], UserError]  # makes the error of a sentence


class OddFile(OSError):
    """A path is not an ordinary file of a sensible size; the message says why in a few words."""


def read_plain_file(path: Path, most: int = LARGEST_FILE, links: bool = False) -> bytes:
    """The content of an ordinary file: no pipe or device, no link unless allowed, and not more than so many bytes."""
    flags = (
        os.O_RDONLY
        | (0 if links else getattr(os, "O_NOFOLLOW", 0))
        | getattr(os, "O_NONBLOCK", 0)
        | getattr(os, "O_BINARY", 0)
    )
    try:
        number = os.open(path, flags)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise OddFile("it is a link") from error
        raise
    with open(number, "rb") as file:
        facts = os.fstat(number)
        if not stat.S_ISREG(facts.st_mode):
            raise OddFile("it is not an ordinary file")
        content = file.read(most + 1)  # some files of the system have more than they say
    size = max(facts.st_size, len(content))
    if size > most:
        raise OddFile(f"it has {size:,} bytes or more, and such a file has at most {most:,}")
    return content


def read_text(path: Path, refusal: Refusal, missing: str = "", most: int = LARGEST_TEXT) -> str:
    """The text of a file that the user has named, which may be a link; `missing` is said where there is no file."""
    try:
        return read_plain_file(path, most, links=True).decode("utf-8-sig")  # some editors begin with a mark
    except FileNotFoundError as error:
        raise refusal(missing or f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        raise refusal(f"{path} is not UTF-8 text: byte {error.start} is not a character. Save it as UTF-8.") from error
    except OSError as error:
        raise refusal(f"{path} cannot be read: {error.strerror or error}.") from error
    except ValueError as error:  # a null character in the name
        raise refusal(f"{str(path)!r} cannot be the name of a file: {error}.") from error


def toml_of(text: str, path: Path, refusal: Refusal) -> dict[str, Any]:
    """The content of a TOML file with this text."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise refusal(f"{path} is not valid TOML: it is nested too deeply.") from None
    except ValueError as error:  # TOML's own, or a number with thousands of digits
        raise refusal(f"{path} is not valid TOML: {error}.") from error


def python_of(text: str, path: object, refusal: Refusal) -> ast.Module:
    """A Python file with this text, parsed and not run."""
    try:
        return ast.parse(text, str(path))
    except SyntaxError as error:
        raise refusal(not_python(error, path)) from error
    except (ValueError, RecursionError, MemoryError) as error:  # null bytes, or nested too deeply
        raise refusal(f"{path}: not valid Python: {str(error) or 'nested too deeply'}.") from error


def not_python(error: SyntaxError, path: object) -> str:
    """What is wrong with a Python file, with the line."""
    where = f", line {error.lineno}" if error.lineno else ""
    source = f"`{error.text.strip()[:80]}`: " if error.text and error.text.strip() else ""
    return f"{path}{where}: {source}not valid Python: {error.msg}."


def beside(folder: Path, name: str, refusal: Refusal) -> Path:
    """The file that a file in this folder names: in the folder or below it, wherever links lead."""
    file = folder / name
    try:
        is_inside = Path(os.path.realpath(file)).is_relative_to(os.path.realpath(folder))
    except (OSError, ValueError) as error:
        raise refusal(f"{name!r} cannot be the name of a file: {error}.") from error
    if os.path.isabs(name) or not is_inside:
        raise refusal(f"{name} lies elsewhere: a file that is named in another one must lie beside it or below.")
    return file


def users_folder(kind: str) -> Path | None:
    """The user's own `cache`, `state` or `data` folder for this program; None for a user without a home."""
    find = {
        "cache": platformdirs.user_cache_path,
        "state": platformdirs.user_state_path,
        "data": platformdirs.user_data_path,
    }[kind]
    try:
        folder = find("jamaica-sim", appauthor=False)
    except (OSError, RuntimeError, KeyError):  # no HOME, and no entry in the list of users
        return None
    return folder if folder.is_absolute() else None


def safe_folder(folder: Path, make: bool = False) -> Path | None:
    """The folder, with all links above it resolved once; None if it is not there or if others could write to it."""
    try:
        if make:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        real = Path(os.path.realpath(folder.parent)) / folder.name
        return real if is_ours(real) and all(_is_firm(parent) for parent in real.parents) else None
    except OSError:
        return None


def is_ours(folder: Path) -> bool:
    """Whether a folder is a real one, of this user, that nobody else can write to: its files are believed."""
    facts = os.lstat(folder)
    if not stat.S_ISDIR(facts.st_mode):
        return False
    return not hasattr(os, "getuid") or (facts.st_uid in (os.getuid(), 0) and not facts.st_mode & 0o022)


def _is_firm(folder: Path) -> bool:
    """Whether nobody else can replace a folder inside this one.

    The user's own group does not count as somebody else. Where everybody can write, as in the temporary folder, the
    sticky bit protects the folders inside.
    """
    if not hasattr(os, "getuid"):
        return True
    facts = os.lstat(folder)
    if facts.st_uid not in (os.getuid(), 0) or not stat.S_ISDIR(facts.st_mode):
        return False
    strangers = facts.st_mode & 0o002 or (facts.st_mode & 0o020 and facts.st_gid not in (os.getgid(), 0))
    return not strangers or bool(facts.st_mode & stat.S_ISVTX)
