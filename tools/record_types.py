"""Writes the types for editors, `record_types.py` and `weight_types.py`, from the tables of docs/strategies.md.

Run it after a field of the view, the rulebook or the weights was added, or its description changed.
"""

import re
import subprocess
import sys
import textwrap
from pathlib import Path

from jamaica_sim.engine.state import RULES_DTYPE, VIEW_DTYPE
from jamaica_sim.strategy.heuristic.weights import BY_NAME, WEIGHTS_DTYPE

ROOT = Path(__file__).resolve().parent.parent
HEAD = '''"""Types for editors: what `{what}` of a decision function have, field by field.

Nothing of this is used when a game is played; numba ignores annotations. `tools/record_types.py` writes this file.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
'''


def described(page: str, heading: str) -> dict[str, tuple[str, str]]:
    """The shape and the meaning of each field in the table below a heading."""
    found = {}
    for line in page.split(f"\n## {heading}\n")[1].split("\n## ")[0].splitlines():
        row = re.match(r"\| (`.*?) \| ?(.*?) ?\| (.*) \|$", line)
        names = re.findall(r"`(\w+)(?:\[ship\])?`", row[1]) if row else []
        for place, name in enumerate(names):
            shapes = row[2].split(";")
            found[name] = (shapes[place] if len(shapes) == len(names) else row[2]).strip(), row[3].strip()
    return found


def class_of(name: str, intro: str, dtype, fields: dict) -> str:
    """The class of a record, a line for each field and its meaning below it."""
    lines = [f"class {name}:", f'    """{intro}"""', ""]
    for field in dtype.names:
        base, shape = dtype[field].subdtype or (dtype[field], ())
        number = ("float", "Floats") if base.kind == "f" else ("int", "Numbers")
        axes, meaning = fields.get(field, ("", field.replace("_", " ")))  # a test reports what the page lacks
        where = f"[{axes}]: " if shape and axes and axes != "set" else ""
        meaning = f"{where}{meaning[0].upper()}{meaning[1:].rstrip('.')}."
        wrapped = textwrap.wrap(meaning, 105)
        lines.append(f"    {field}: {number[bool(shape)]}")
        lines += [f'    """{wrapped[0]}', *(f"    {more}" for more in wrapped[1:])]
        lines[-1] += '"""' if len(wrapped) == 1 else '\n    """'
    return "\n".join(lines)


def main():
    page = (ROOT / "docs" / "strategies.md").read_text(encoding="utf-8")
    weights = {name: ("", f"{weight.meaning}; {weight.unit}") for name, weight in BY_NAME.items()}
    weights |= described(page, "The record of weights")
    weights.setdefault("heuristic", ("", "where the compiled heuristic is; for `ask_heuristic`"))
    classes = (
        (
            "View",
            "What the deciding player may see, and what it is asked. It can only be read.",
            VIEW_DTYPE,
            "The view",
        ),
        ("Rulebook", "The rules in force, the components, and tables made from them once.", RULES_DTYPE, "The rules"),
        ("Weights", "The strategy's weights, and what the heuristic makes of them once.", WEIGHTS_DTYPE, ""),
    )
    parts = [class_of(n, intro, d, described(page, h) if h else weights) for n, intro, d, h in classes]
    for name, what, chosen in (("record", "view` and `rules", parts[:2]), ("weight", "weights", parts[2:])):
        target = ROOT / "jamaica_sim" / "strategy" / f"{name}_types.py"
        head = HEAD.format(what=what)
        target.write_text("\n\n".join([head, *(f"{part}\n" for part in chosen)]), encoding="utf-8")
        subprocess.run([sys.executable, "-m", "ruff", "format", "-q", str(target)], check=True)
        subprocess.run([sys.executable, "-m", "ruff", "check", "--fix", "-q", str(target)], check=True)


if __name__ == "__main__":
    main()
