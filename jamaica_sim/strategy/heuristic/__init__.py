"""The heuristic that is steered by weights.

- `weights`: each weight with its meaning, unit, default and range
- `decide`: an answer to every decision point
- `worth`: what a situation is worth, in points
- `lookahead`: what a card's two actions would do
- `cargo`: a ship's cargo in one number
- `situation`: what one look around tells a player
"""
