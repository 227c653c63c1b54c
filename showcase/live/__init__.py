"""The live view: members look at the memories of their workspaces while these are made."""
