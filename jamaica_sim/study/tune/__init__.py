"""Tuning: finds better weights for a strategy by playing variations of it.

- `tune`: the public function, from a start to a verdict
- `evolution`: the weights as a vector, and CMA-ES over generations of variations, kept on disk as their scores
- `arena`: one ship of each variation against the same field, on the same deals, in every seat
- `tuned`: the result: win rates, the gain and the sentence to quote
- `adapting`: the best answers that players find to changed rules, step by step
"""
