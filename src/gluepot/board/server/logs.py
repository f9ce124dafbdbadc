"""What the board writes into its log: tracebacks too, but no keys."""

import logging

from gluepot.masking import mask_secrets


class MaskingFormatter(logging.Formatter):
    """A record as it is, without what looks like a key."""

    def format(self, record: logging.LogRecord) -> str:
        return mask_secrets(super().format(record))
