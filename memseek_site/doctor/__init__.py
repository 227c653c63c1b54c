"""What `manage.py doctor` looks at: each module answers one question, and none repairs anything."""
