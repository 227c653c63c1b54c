"""How pages write dates and times: one form that everybody reads alike."""
