"""What the games showed.

- `results`: estimates with 95% intervals, from the exact sums of a tally
- `sums`: these sums as arrays, for ratios and differences; how far the seats of a table are apart
- `measures`: the one registry of what reports and the laboratory measure
- `drama`: how exciting games are: when the winner is decided, tension, hope, waiting
- `tidy_games`: the table of games with one row for each ship of each game
- `board_picture`: the board itself, for print and notebooks
- `picture_style`: the one style of what matplotlib draws
- `stats`: intervals, sequential tests, ratings: pure functions of numbers
- `result_table`: a table of figures, and what every answer can do: sentence, tables, pandas, JSON, CSV
"""
