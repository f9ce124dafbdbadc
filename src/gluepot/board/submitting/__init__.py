"""Submissions: validation on upload, private scoring by a worker, publication after review by a moderator."""
