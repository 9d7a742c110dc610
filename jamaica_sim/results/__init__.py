"""What the games showed.

- `results`: estimates with 95% intervals, from the exact sums of a tally
"""
