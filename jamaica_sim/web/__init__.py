"""The studio: a page where one changes a rule and sees what it does while the games are played, and its server.

- `server`: the parts behind one address, from start to Ctrl-C; the game table in the browser is another part of it
- `guard`: who may ask
- `streams`: answers line by line, and the questions that are open
- `question`: what a page asks, as tables
- `words`: what rules are called in a title, for the page
- `box`: what the page asks once: rules, strategies, components
- `keeping`: a variant as an address, a game to watch, a report
- `notebook`: the variants that somebody keeps, in a file
- `inner_engine`: the engine inside a page: its module, its layout, its strategies
- `inner_page`: the page as one file with that engine
- `part`: the studio's page and the questions that need Python
- `play_part`: the questions of the page on which one plays
- `saved_games`: games that people play, each in a file that is written after each answer
- `told`: what a seat is told of a game
- `foresight`: what each answer would do
- `coach`: each answer's chance to win, by what the player can know
- `levels`: whom one can play against, under plain names
- `review`: luck, the others' mistakes and one's own decisions
- `record`: reviews kept beside their games, and the mistakes in them
- `review_ladder`: an error rate as that of an erring champion
- `review_told`: reviews in words and as a page
- `terminal`: the game in a terminal
"""
