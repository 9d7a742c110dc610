"""The parametric heuristic: answers every decision point, weighed with a strategy's weights.

- `decide`: the answer to each decision point
- `weights`: the table of weights, and the record that the compiled code reads
- `tables`: what follows from the weights, in the same record
- `lookahead`: what a card would do to the own ship, and the round after it
- `worth`: what a situation is worth, in points
- `situation`: facts found once for each decision: how near the end is, where the others are
- `cargo`: a ship's cargo in one number
"""
