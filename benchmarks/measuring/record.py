"""Records of measurements: the machine's facts and all figures in a JSON file, for later comparisons."""

import json
import os
import platform
from pathlib import Path

import llvmlite
import numba
import numpy as np

from jamaica_sim import __version__
from jamaica_sim.files.atomic_files import json_bytes, write_whole
from jamaica_sim.files.sources import engine_hash
from measuring.figures import Figure

FORMAT = 1


class RecordFault(Exception):
    """A file that is no record: one sentence."""


def machine_facts() -> dict:
    """What the figures depend on: the program's version, the machine and the libraries."""
    return {
        "jamaica-sim": f"{__version__} (engine {engine_hash()[:8]})",
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "numba": numba.__version__,
        "numpy": np.__version__,
        "llvmlite": llvmlite.__version__,
        "load average": [round(load, 2) for load in os.getloadavg()] if hasattr(os, "getloadavg") else None,
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def write_record(path: Path, machine: dict, quick: bool, figures: list[Figure]):
    """Write a record, complete or not at all."""
    facts = {"format": FORMAT, "machine": machine, "quick": quick, "figures": [f.as_dict() for f in figures]}
    write_whole(path, json_bytes(facts))


def read_record(path: Path) -> tuple[dict, list[Figure]]:
    """The machine's facts and the figures of a record; raises RecordFault where the file is no record."""
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RecordFault(f"{path} cannot be read: {error.strerror or error}.") from error
    except ValueError as error:
        raise RecordFault(f"{path} is not a record of this benchmark: it is no JSON ({error}).") from error
    if not isinstance(facts, dict) or facts.get("format") != FORMAT:
        raise RecordFault(f"{path} is not a record of this benchmark, or one of another version of it.")
    try:
        return dict(facts["machine"]), [Figure.from_dict(figure) for figure in facts["figures"]]
    except (KeyError, TypeError, ValueError) as error:
        raise RecordFault(f"{path} is a damaged record: {error}.") from error
