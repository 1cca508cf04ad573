#!/bin/sh
# PostgreSQL's image runs this once, on an empty database, as the owner's role: it makes the role that billing runs with.
# That role gets its rights from billing's migrations.
psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" \
  --set password="$(cat /run/secrets/application.password)" <<'SQL'
create role viaduct login password :'password';
SQL
