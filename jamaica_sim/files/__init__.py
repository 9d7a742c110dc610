"""Files: whole or not at all, locked while they are written, and what those of users may do. Knows nothing of the game.

- `atomic_files`: files that are there whole or not at all, and new ones to start from
- `other_folders`: what to say about a folder that cannot be used as asked
- `user_files`: files of users: ordinary ones only, of a sensible size
- `page_files`: the files of the pages by their names, and modules joined to one script
- `sources`: the source files that something depends on
- `clean_import`: libraries without the settings of the current folder
- `escape`: text of others, safe to print; the nearest known word to a misspelt one
- `limits`: bounds of numbers that users give
"""
