"""Seats outside the engine: games that stop and ask.

- `game`: one game, question by question
- `games`: many games at once, as arrays
- `game_file`: a game as a small file
"""
