"""Moderation: Django's admin behind a second factor, and an audit log of all decisions."""
