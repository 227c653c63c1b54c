#!/bin/sh
# Run once by the database's image, when its volume is empty: two roles, so that the application owns nothing.
set -eu
psql --set ON_ERROR_STOP=1 --set owner="$OWNER_PASSWORD" --set app="$APP_PASSWORD" --username postgres <<'SQL'
CREATE ROLE memseek_owner LOGIN PASSWORD :'owner';
CREATE ROLE memseek_app LOGIN PASSWORD :'app';
CREATE DATABASE memseek OWNER memseek_owner;
\connect memseek
CREATE EXTENSION vector;
SQL
