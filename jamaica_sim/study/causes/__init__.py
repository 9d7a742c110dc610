"""Causes: where the luck comes from and what each thing is worth, by designed experiments on the same deals.

- `budget`: Shapley effects of the sources of luck, and of the strategies, on who wins
- `swings`: how far the chances move at each draw, and what decisions cost
- `worth`: what each thing is worth in win rate, by ships that begin with more or less and powers that do nothing
- `card_play`: how often each card is there, chosen or drawn, when, and who then wins
- `findings`: all of these for the tables of an experiment, as plain values, and for users as tables
"""
