"""Search: a player that deals what it cannot know anew, plays its options on, and takes the one that does best.

- `settings`: the keys of `[search]`, and the record that the compiled search reads
- `value`: what a position is worth at the end of a rollout, fitted by `benchmarks/fit_value.py` (`value.csv`)
- `searcher`: the search itself, one compiled function for all decisions
"""
