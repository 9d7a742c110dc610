"""Files and folders that lose nothing.

- `atomic_files`: files that are there whole or not at all
- `lock`: one process at a time writes a folder
- `manifest`: what is played, by which program, how far it is
- `other_folders`: what to say about a folder that cannot be used as asked
- `saved_folder`: folders that survive an interruption
- `version`: which games these sources play
"""
