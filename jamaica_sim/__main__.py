"""`python -m jamaica_sim` is `jamaica-sim`."""

from jamaica_sim.cli import main

main(prog_name="jamaica-sim")
