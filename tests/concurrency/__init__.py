"""Two at the same time: threads with connections of their own, meeting at barriers and named points."""
