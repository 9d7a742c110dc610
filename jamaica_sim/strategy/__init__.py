"""Strategies: who decides at a decision point, and how.

- `strategy`: the `Strategy` record, ready to be seated, and the checks of every strategy file
- `library`: strategies by name, by file, or from a dictionary of weights; the shipped ones; whose code may run
- `toml_file`, `code_file`: the two kinds of strategy file
- `player`: seats outside the engine, and plain Python players
- `question`: what a player outside is asked, and `option_words` for the answers in words
- `bans`: a filter that takes a part of the game out of the legal answers
- `compile`: a decision function as machine code that the engine calls by address
- `api`: what a strategy file of code may use; `names` for its numbers
- `read_only`: compiles a user's function so that it writes to nothing it is given
- `slips`: numba's complaint about a function, as a sentence with its line
- `template`: files to start a new strategy or house rules from
- `heuristic`: the parametric heuristic, which answers every decision point
- `net`: a net, taught by the search, that scores the options of a decision
- `house`: house rules as code, compiled
- `search`: a player that deals anew what it cannot know and plays on with each of its options
"""
