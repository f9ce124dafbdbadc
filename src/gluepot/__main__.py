"""`python -m gluepot` is the same as `gluepot`."""

from gluepot.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
