"""What the charts of comparisons and reports share.

- `style`: the one style, and the decorator that makes a drawing function a chart
"""
