"""Reports: a study as pages, chapters, pictures and sentences.

- `page`: the report as HTML or Markdown
- `shipped`: the reports of all shipped experiments, sweeps and searches
- `chapter`: what a chapter is made of
- `chapters`: one module for each subject
- `claims`: the rulebook's claims as hypotheses
- `games_to_watch`: a typical and an extreme game for each chapter, with the commands that show them
- `looks`: which differences are clear, allowing for all figures looked at
- `prose`: figures inside sentences
- `words`: words for figures, each with its threshold
- `drawing`: SVG in the page's own colours, wide and narrow
- `forms`: the forms of a chart: rows, profiles, lines, a matrix
- `the_board`: the board that a report is about
- `board_map`: what happens on each space of the board
- `board_picture`: draws the board itself, for print
"""
