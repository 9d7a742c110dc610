"""What the charts of comparisons and reports share.

- `style`: the one style, and what makes a drawing function a chart
"""
