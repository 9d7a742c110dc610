"""The studio's page as one file with the engine inside: what the server serves, and what `studio --export` writes."""

import base64
import hashlib
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from jamaica_sim.files.clean_import import clean_import
from jamaica_sim.files.page_files import embedded, filled, joined, page_files, styles
from jamaica_sim.results.stats.estimate import normal_quantile, t_quantile
from jamaica_sim.web.box import box
from jamaica_sim.web.inner_engine import can_play, made_engine, packed
from jamaica_sim.web.question import Menu

FREEDOM = 100  # degrees of freedom with an exact quantile; the page has an expansion for more
CONFIDENCE = 0.95
SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def page_data(menu: Menu, board: str) -> dict[str, Any]:
    """What the page has from Python: the box with a board, the engine, and numbers of statistics."""
    shown = box(menu, board)
    shown["strategies"] = [one for one in shown["strategies"] if can_play(menu.strategy(one["name"]))]
    numbers = {"quantiles": _quantiles(), "normals": _normals()}
    worker = packed(joined("engine/worker.js").encode())
    return {"box": shown, "engine": made_engine(menu), "numbers": numbers, "worker": worker}


def studio_page(
    menu: Menu, board: str, address: str = "", served: bool = False, notebook: Sequence[dict[str, Any]] = ()
) -> str:
    """The page; `address` is the variant that it opens with, `served` whether our server is behind it."""
    data = page_data(menu, board) | {"address": address.lstrip("#"), "served": served, "notebook": list(notebook)}
    page = filled(
        "studio/studio.html",
        {
            "STYLE": styles("shared/look.css", "studio/studio.css"),
            "SYMBOLS": page_files()["shared/symbols.svg"],
            "DATA": embedded(data),
            "SCRIPT": joined("studio/studio.js"),
        },
    )
    before, after = page.split("@POLICY@", 1)
    return f"{before}{policy_of(page, served)}{after}"


def policy_of(page: str, served: bool) -> str:
    """What the page may do: run its own scripts and the engine, start workers, and ask our server if it is there."""
    scripts = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in SCRIPT.findall(page)]
    connect = "'self'" if served else "'none'"
    allowed = " ".join(f"'sha256-{one}'" for one in scripts)
    return (
        f"default-src 'none'; script-src {allowed} 'wasm-unsafe-eval' blob:; worker-src blob:; "
        f"style-src 'unsafe-inline'; img-src data:; connect-src {connect}; base-uri 'none'; "
        "form-action 'none'"
    )


def _quantiles() -> dict[str, Any]:
    known = [0.0, *(t_quantile(freedom, (1 + CONFIDENCE) / 2) for freedom in range(1, FREEDOM + 1))]
    return {"normal": -normal_quantile((1 - CONFIDENCE) / 2), "student": known}


def _normals() -> dict[str, Any]:
    """NumPy's normal numbers: the state of `default_rng(0)`, and the tables of the ziggurat, which numba has too."""
    constants = clean_import("numba.np.random._constants")
    state: Any = np.random.default_rng(0).bit_generator.state["state"]
    tables = {name: getattr(constants, f"{name}_double").astype(float).tolist() for name in ("ki", "wi", "fi")}
    return {"state": str(state["state"]), "inc": str(state["inc"]), **tables}
