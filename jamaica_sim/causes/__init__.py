"""Causes: where the luck comes from and what each thing is worth, by designed experiments on the same deals.

- `budget`: Shapley effects of the sources of luck, and of the strategies, on who wins
- `seating`: a worker whose seats and luck change from game to game
- `swings`: how far the chances move at each draw, and what decisions cost
- `skill`: how far the ratings of strategies spread
- `handicap`: a ship that begins with more, less or other things, powers that do nothing
- `worth`: what each thing is worth in win rate
- `questions`: luck and worths of any table, for users
- `findings`: all of these for the tables of an experiment, as plain values
"""
