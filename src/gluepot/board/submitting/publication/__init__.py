"""Publication of submissions: metadata form, moderators' decisions, entries on the board."""
