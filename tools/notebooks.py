"""Runs the notebooks of the docs and keeps what they show in them: `python tools/notebooks.py`."""

import tempfile
from pathlib import Path
from typing import Any

import nbclient
import nbformat

NOTEBOOKS = sorted((Path(__file__).resolve().parent.parent / "docs").glob("*.ipynb"))
TIMEOUT = 600  # seconds: the first cell may compile the engine


def executed(path: Path) -> Any:
    """A notebook as it is after all of its cells have run, without what depends on the moment."""
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        resources = {"metadata": {"path": folder}}
        nbclient.NotebookClient(notebook, timeout=TIMEOUT, resources=resources, record_timing=False).execute()
    notebook.metadata.language_info = {"name": "python"}
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if "data" in output:
                output["metadata"] = {}
    return notebook


def shown(notebook: Any) -> list[str]:
    """The text of every output."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    return [output.get("text") or output.get("data", {}).get("text/plain", "") for output in outputs]


if __name__ == "__main__":
    for path in NOTEBOOKS:
        nbformat.write(executed(path), path)
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")
