"""One game again, with the trace on.

- `replay`: the public function
- `trace`: the engine's rows as a trace
- `story`: a trace as a story to read
"""
