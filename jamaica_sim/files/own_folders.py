"""Folders that only the user can write to. Compiled code and paused searches lie there, and are believed.

A folder of others, or one that others could exchange, is never used: its content could be theirs.
"""

import os
import stat
from pathlib import Path

import platformdirs


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
