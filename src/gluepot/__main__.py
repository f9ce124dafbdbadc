"""`python -m gluepot` is the same as `gluepot`."""

from gluepot.cli import main

raise SystemExit(main())
