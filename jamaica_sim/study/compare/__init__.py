"""Comparisons: several strategies on the same deals, and who is better.

- `design`: what is compared, the line-ups, how long to play, what counts as a difference
- `deals`: playing the deals, and the exact sums that every figure is made from
- `numbers`: estimates, verdicts, ranks
- `comparison`: all of these as one object, with its sentences and tables
- `compare`: preparing a comparison, playing it, reading it from its folder
- `one_against_each`: one ship of each strategy among ships of each other
"""
