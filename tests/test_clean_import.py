"""Libraries that are loaded late, by whichever thread needs them first."""

import sys
import time
from concurrent.futures import ThreadPoolExecutor

from jamaica_sim.files.clean_import import clean_import


def test_a_thread_never_sees_half_of_a_library_that_another_one_loads(tmp_path, monkeypatch):
    """Games in two threads that raise at once both load numba, to learn what was raised."""
    package = tmp_path / "slow_library"
    package.mkdir()
    (package / "__init__.py").write_text("import time\ntime.sleep(0.3)\nwhole = 7\n")
    (package / "part.py").write_text("import sys\nfound = sys.modules['slow_library'].whole\n")
    monkeypatch.syspath_prepend(tmp_path)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(clean_import, "slow_library")
        while "slow_library" not in sys.modules and not first.done():
            time.sleep(0.01)
        assert not first.done()
        assert pool.submit(clean_import, "slow_library.part").result().found == 7


def test_the_current_folder_stays_where_it_has_no_settings(tmp_path, monkeypatch):
    """Another thread may be writing a run's folder, named from here."""
    (tmp_path / "curious.py").write_text("import os\nfolder = os.getcwd()\n")
    monkeypatch.syspath_prepend(tmp_path)
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    assert clean_import("curious").folder == str(here)
    (here / "matplotlibrc").write_text("")
    del sys.modules["curious"]
    assert clean_import("curious").folder == str(tmp_path)
