"""Having strategies play: from a game table to result rows, on the threads of this machine.

- `game_table`: the rules and the seated strategies
- `state_record`: a state record with everybody's decision functions in place
- `worker_threads`: threads, each with a worker of its own
- `chunks`: chunks of games, handed out in order
- `compile_ahead`: the first start: all that has to be compiled
- `check`: checks a strategy before it is trusted
"""
