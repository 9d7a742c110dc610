"""Comparisons: several strategies on the same deals, and who is better.

- `design`: what is compared, and the line-ups
- `deals`: playing the deals, and the exact sums that every figure is made from
- `cluster`: having the deals played by a Dask cluster
- `when_to_stop`: the plan: how long to play, and what counts as a difference
- `numbers`: estimates, verdicts, ranks
- `wording`: the sentences that the numbers support
- `tables`: the result tables
- `charts`: pictures of a comparison
- `comparison`: all of these as one object
- `folder`: the comparison's folder: manifest, sums, tables, charts
- `compare`: preparing a comparison, and playing it
- `surviving`: one ship of each strategy among ships of each other
"""
