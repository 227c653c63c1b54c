SELECT split_part(current_setting('server_version'), ' ', 1)
