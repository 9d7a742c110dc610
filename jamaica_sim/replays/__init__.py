"""One game again: as a trace, as a story in a terminal, as a page that plays it.

- `replay`: the public function
- `trace`: the engine's rows as a trace
- `box`: the rules and components of a trace's game
- `book`: where every ship is and what it has, from event to event
- `course`: the way that a ship took between two positions
- `positions`: where the game can be played on from, for chances and for what would have been
- `chances`: chances to win before every round and of every card, and the largest swings
- `steps`: what there is to look at, one thing after the other, each with its sentence
- `sentences`: how each kind of step is told, and what of it is secret
- `words`: names of ships, spaces, cards and goods
- `story`: the steps as text for a terminal
- `summary`: who led when, what turned the game, where the points came from
- `page`: the steps as a page that plays the game; its parts are in `assets/`
"""
