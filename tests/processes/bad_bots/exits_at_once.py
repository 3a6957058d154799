"""Has nothing to say."""

raise SystemExit(7)
