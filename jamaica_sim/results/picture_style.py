"""The one style of all charts: colours, marks and type. Makes files from pictures.

The colours are those of Okabe and Ito (2008), which colour-blind readers can tell apart; different marks and dashes
make charts readable in grey."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, cast

from jamaica_sim.files.clean_import import clean_import

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
INK, GREY, PALE = "#222222", "#7A7A7A", "#E4E4E4"
STYLE = {
    "text.parse_math": False,  # a dollar sign in a name starts no formula
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial", "Helvetica"],
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": PALE,
    "grid.linewidth": 0.8,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "lines.linewidth": 1.6,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "svg.fonttype": "none",
    "svg.hashsalt": "jamaica",
}


def pyplot() -> ModuleType:
    """`matplotlib.pyplot`, imported when something is drawn."""
    return clean_import("matplotlib.pyplot")


@contextmanager
def style() -> Iterator[None]:
    """The one visual style, for everything drawn inside the block."""
    with clean_import("matplotlib").rc_context(STYLE):
        yield


def picture(axes: "Axes", form: str = "svg") -> bytes:
    """The figure of some axes as the bytes of a file, identical each time. Closes the figure."""
    content, figure = io.BytesIO(), cast("Figure", axes.figure)
    with style():
        metadata = {"Date": None} if form == "svg" else {"Software": None}
        figure.savefig(content, format=form, dpi=130, metadata=metadata)
    pyplot().close(figure)
    return content.getvalue()
