"""Training a net: a strong player for a kind of table, or for changed rules, taught by the search.

- `examples`: positions from games of mixed players, what search says of each option, and the trainer of a net
- `compiled`: the compiled part of it
- `train`: generations of labels and nets, files to resume from, and the verdict
"""
