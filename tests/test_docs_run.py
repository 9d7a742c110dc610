"""What the README and the docs show is what happens: every fence is run, or says why not."""

from functools import partial

import matplotlib
import pytest
from documented import PAGES, fences_of, run_page

from jamaica_sim.study.causes import findings, swings

FENCES = {page.name: fences_of(page) for page in PAGES if page.is_file()}
RUN = [name for name, fences in FENCES.items() if any(not fence.never for fence in fences)]
SLOW = [name for name, fences in FENCES.items() if any(fence.slow for fence in fences)]


@pytest.fixture(autouse=True)
def a_reader(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    # Where commands play a few games only, so do the designs that no option makes smaller. No page shows their output.
    monkeypatch.setattr(swings, "chances_before", partial(swings.chances_before, games=200))
    monkeypatch.setattr(findings, "PLAYED_ON", 4)
    matplotlib.use("agg")


LONG = ("cli.md", "house_rules.md", "outside.md", "results.md")  # pages that take longest


@pytest.mark.parametrize("fence", [fence for fences in FENCES.values() for fence in fences], ids=str)
def test_every_fence_is_accounted_for(fence):
    assert fence.is_accounted_for


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.slow) if name in LONG else name for name in RUN])
def test_what_a_page_shows_happens(name):
    run_page(FENCES[name], slow=False)


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW)
def test_what_slow_fences_of_a_page_show_happens(name):
    run_page(FENCES[name], slow=True)
