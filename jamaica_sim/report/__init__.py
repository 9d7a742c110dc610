"""Reports: a study as pages, chapters, pictures and sentences.

- `report`: what a report says, made of a study, a comparison, a sweep, an analysis or a search
- `page`: a report laid out as HTML
- `index`: the pages that lead to all reports, from the JSON beside each
- `shipped`: the reports of all shipped experiments, sweeps and searches
- `chapter`: what a chapter is made of
- `chapters`: one module for each subject; each finds numbers, then writes words
- `judge`: which differences are clear, and what may be said of a claim
- `parts`: what a chapter is a list of: a table, charts, facts and at most one claim each
- `sheet`: measures at every table, from which a chapter's tables, charts and sentences are read
- `arrangement`: which settings a chart or a sentence shows, and in which words
- `figures`: rows, bars and panels of estimates
- `games_to_watch`: a typical and an extreme game for each chapter, with the commands that show them
- `prose`: figures inside sentences
- `charts`: rows, curves, grids, the board: what all charts are drawn with
- `words`: words for figures, each with its threshold
- `spaces`: where on the board and when something happens: shares, tables, maps
"""
