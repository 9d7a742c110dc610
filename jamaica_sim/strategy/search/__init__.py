"""Search: a player that deals anew what it cannot know, plays on with each option, and takes the best.

- `settings`: the keys of `[search]`, and the record that the compiled search reads
- `value`: what a position is worth at the end of a rollout, fitted by `tools/fit_value.py` (`value.npz`)
- `searcher`: the search itself, one compiled function for all decisions
"""
