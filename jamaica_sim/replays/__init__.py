"""One game again: as a trace, as a story in a terminal, as a page that plays it.

- `box`: the rules and components of a trace's game; the way that a ship took on its board
- `book`: where every ship is and what it has, from event to event
- `moments`: what changes the chances to win, named
- `chances`: chances to win at every moment and with every answer, and how luck and decisions changed them
- `chances_told`: the same in words, for a terminal and for the page
- `what_if`: the game with another card
- `steps`: the steps of a game, each with its sentence
- `sentences`: how each kind of step is told, and what of it is secret
- `words`: names of ships, spaces, cards and goods, and what a player did
- `story`: the steps as text for a terminal
- `summary`: who led when, what turned the game, where the points came from
- `page`: the steps as a page that plays the game; its parts are in `pages/`
"""
