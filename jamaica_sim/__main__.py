"""`python -m jamaica_sim` is `jamaica-sim`: it imports nothing more from the current folder, which `-m` puts first."""

import sys

if not sys.flags.safe_path:
    del sys.path[0]

from jamaica_sim.cli import main  # noqa: E402

main(prog_name="jamaica-sim")
