"""Plays games on this machine.

- `game_table`: the rules, the seated strategies and the seed
- `game_columns`: the rows of games as columns
- `expression`: a condition or a sum over the columns of games, read safely
- `own_measures`: measures of one's own: expressions, or functions of the table of games
- `commands`: what to type to play or see the same games again
- `state_record`: seats strategies in a state record and plays games in it
- `steps`: games that are played from question to question
- `chunks`: games in chunks, on threads, with their sums
- `stopping`: what Ctrl-C and requests to terminate do
- `compile_ahead`: compiles what is missing at a first start
- `positions`: positions of a game, win chances and what-if, by playing on
- `public`: what a player may know of the events of a game
- `debug`: a strategy's decisions in one game, made in plain Python
- `trace`: one game of a run again, as a trace
- `manifest`: what is played, by which program, how far it is
- `tally`: sums over games
- `outside`: games that stop and ask: a seat for anything
- `check`: checks a strategy (legal answers, no peeking, speed) or a file of house rules by playing
"""
