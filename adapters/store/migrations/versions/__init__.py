"""One file a revision; a released one is never edited, the next one changes what it made."""
