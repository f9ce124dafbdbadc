"""Rounds of annotation: how many items and raters they need, which items are drawn, how an item is asked, what comes of it."""
