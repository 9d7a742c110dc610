"""The pages: HTML, CSS and JavaScript modules of replay, studio and play.

One copy of board, pictures, ships and style serves all of them (`shared/`). A file's name is unique among the folders,
and modules import each other as `./name.js`. So a server can offer them side by side, and a page that is one file can
join them. Python that makes a page is in the room that owns the page.

- `page_files`: reading the files, and joining modules to one script
"""
