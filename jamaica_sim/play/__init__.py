"""Having strategies play: from a game table to result rows, on the threads of this machine.

- `game_table`: the rules and the seated strategies
- `commands`: what to type to play or see the same games again
- `state_record`: a state record with everybody's decision functions in place
- `worker_threads`: threads, each with a worker of its own
- `chunks`: chunks of games, handed out in order
- `stopping`: what Ctrl-C and requests to terminate do
- `compile_ahead`: the first start: all that has to be compiled
- `check`: checks a strategy before it is trusted
"""
