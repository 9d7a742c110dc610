"""Seats outside the engine: games that stop and ask.

- `game`: one game, question by question
- `games`: many games at once, as arrays
- `script`: the answers of all seats of a game, and the game again from them
- `game_file`: a game as a small file
"""
