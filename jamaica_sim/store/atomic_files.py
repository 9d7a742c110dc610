"""Files that are there whole or not at all, and their hashes. Knows nothing of what is in them."""

import hashlib
import json
import os
from io import BytesIO
from pathlib import Path

import numpy as np


def write_whole(path: Path, content: bytes):
    """Write a file beside its place, then put it there; both are on the disk when this returns."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(beside, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
        sync_folder(path.parent)
    finally:
        try:
            beside.unlink(missing_ok=True)
        except OSError:
            pass  # the folder is gone or read-only, which the write has already said


def sync_folder(path: Path):
    """Force the names in a folder to the disk."""
    if os.name == "posix":
        folder = os.open(path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def json_bytes(data) -> bytes:
    """Plain data as a JSON file."""
    return (json.dumps(data, indent=2, ensure_ascii=False) + "\n").encode()


def npy_bytes(array) -> bytes:
    """An array as a .npy file."""
    content = BytesIO()
    np.save(content, array)
    return content.getvalue()


def hash_of(content: bytes) -> str:
    """The hash that a manifest has of a file."""
    return hashlib.sha256(content).hexdigest()


def read_hashed(path: Path, digest: str | None) -> bytes | None:
    """The content of a file if it has this hash, None otherwise."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    return content if hash_of(content) == digest else None


def load_array(content: bytes, dtype) -> np.ndarray | None:
    """The array in a .npy file, None where there is none of this kind."""
    try:
        array = np.load(BytesIO(content), allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    return array if array.dtype == dtype else None
