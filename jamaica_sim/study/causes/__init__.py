"""Causes: where the luck comes from and what each thing is worth, by designed experiments on the same deals.

- `budget`: Shapley effects of the sources of luck, and of the strategies, on who wins
- `swings`: how far the chances move at each draw, and what decisions cost
- `handicap`: a ship that begins with more, less or other things, powers that do nothing
- `worth`: what each thing is worth in win rate
- `card_play`: how often each card is there, chosen or drawn, when, and who then wins
- `questions`: luck and worths of any table, for users
- `findings`: all of these for the tables of an experiment, as plain values
"""
