"""Log formatting: tracebacks included, secrets masked."""

import logging

from gluepot.masking import mask_secrets


class MaskingFormatter(logging.Formatter):
    """Formatter that masks anything resembling a key."""

    def format(self, record: logging.LogRecord) -> str:
        return mask_secrets(super().format(record))
