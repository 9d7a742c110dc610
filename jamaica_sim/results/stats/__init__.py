"""Statistics: pure functions of numbers, which know nothing of the game.

- `estimate`: a value with its interval, for proportions, means and ratios
- `jackknife`: intervals for whatever is computed from sums, by leaving out one part of the games at a time
- `clear`: which differences are clear when many are tested together, and how large one is, whatever its units
- `control`: subtracting known luck from the results, so that fewer games are enough
- `sequential`: when enough games have been played: confidence sequences and verdicts
- `variance_shares`: Shapley effects of random inputs, squared steps of a martingale
- `rating`: rating many strategies from games of three or more
"""
