"""What the games showed.

- `results`: estimates with 95% intervals, from the exact sums of a tally
- `sums`: these sums as arrays, for ratios and differences
- `fairness`: how far the seats of a table are apart
- `measures`: the one registry of what reports and the laboratory measure
- `drama`: how exciting games are: when the winner is decided, tension, hope, waiting
- `tidy_games`: the table of games with one row for each ship of each game
- `answer`: what every result can do: sentence, tables, pandas, JSON, CSV
- `board_picture`: the board itself, for print and notebooks
- `picture_style`: the one style of what matplotlib draws; a column of a table as a picture
- `stats`: intervals, sequential tests, ratings: pure functions of numbers
- `result_table`: a table of figures: its text, caption, CSV and JSON
"""
