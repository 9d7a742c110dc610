"""Training a net: a strong player for a kind of table, or for changed rules, taught by the search.

- `examples`: positions from games of mixed players, what search says each option is worth, and how the trainer reads it
- `trainer`: the net whose scores order the options as the labels do
- `compiled`: the compiled part of all three
- `train`: generations of labels and nets, files to resume from, and the verdict
"""
