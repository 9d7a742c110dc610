"""The source files that decide how games come out: one list for the stamp of compiled code and a manifest's hash.

Only names and bytes of files are read here; nothing of the package is imported.
"""

import hashlib
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent

# Sources of the engine's jitted code.
ENGINE = ("engine/**/*.py", "tally/**/*.py", "rules.py", "codes.py", "components/*")
STRATEGIES = ("strategy/**/*.py",)


def digest_of(*patterns: str) -> str:
    """A hash of the names and contents of all sources that match; the same wherever the package is installed."""
    digest = hashlib.sha256()
    for pattern in patterns:
        for source in sorted(PACKAGE.glob(pattern)):
            if source.is_file():
                digest.update(source.relative_to(PACKAGE).as_posix().encode() + b"\0" + source.read_bytes() + b"\0")
    return digest.hexdigest()
