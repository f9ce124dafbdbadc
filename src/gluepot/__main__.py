"""Entry point of `python -m gluepot`, equivalent to `gluepot`."""

from gluepot.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
