"""Statistics: pure functions of numbers, which know nothing of the game.

- `estimate`: a value with its interval: of proportions, means, ratios, whatever sums make; what is clear of many
- `control`: subtracting known luck from the results, so that fewer games are enough
- `sequential`: when enough games have been played: confidence sequences and verdicts
- `variance_shares`: Shapley effects of random inputs, squared steps of a martingale
- `rating`: rating many strategies from games of three or more
"""
