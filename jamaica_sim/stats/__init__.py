"""Statistics: pure functions of numbers, which know nothing of the game.

- `estimate`: intervals for proportions, means, ratios and paired differences
- `sequential`: when there are games enough: confidence sequences and verdicts
- `rating`: rating many strategies from games of three or more
"""
