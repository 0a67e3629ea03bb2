#!/bin/sh
# connection_pool 3.0.2 with pg: a fork whose copy does nothing at all breaks the pool of the parent for good.
#
# The guess: a pool that reloads itself after a fork keeps the two processes apart. The copy forgets what it has
# inherited and opens connections of its own; the parent goes on with the ones that it has.
#
# What happens: the copy calls close on each idle connection that it has inherited, inside of fork, before the caller's
# own code runs (ForkTracker in lib/connection_pool/fork.rb). libpq's goodbye goes out on the socket that both share, so
# PostgreSQL ends the parent's session. The pool does not check its connections: it hands out the dead one again and
# again. It makes no difference that the copy leaves by exit!. With auto_reload_after_fork: false the parent lives on.
#
# Seen on 2026-11-29, x86_64 Linux, Ruby 3.4.5, pg 1.7.0, PostgreSQL 15.20, a pool of one:
#   reloading pool (the default)     3 of 3 later requests of the parent fail with PG::ConnectionBad
#   auto_reload_after_fork: false    3 of 3 succeed, in the same session as before
# The same with mysql2 0.5.7 and trilogy 2.13.3 against MariaDB 10.11.19, with and without TLS.
#
# It needs Ruby 3.4 (in the path or in RUBY=) and PostgreSQL's initdb and pg_ctl; two gems are installed in a temporary
# folder. Root runs the database as nobody.
set -eu
ruby=${RUBY:-ruby}
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)
[ -x "$bin/initdb" ] || { echo "PostgreSQL is missing: install the package postgresql" >&2; exit 2; }

folder=$(mktemp -d)
as=
[ "$(id -u)" != 0 ] || as="setpriv --reuid=nobody --regid=nogroup --clear-groups"
mkdir "$folder/db"
chmod 755 "$folder"
[ -z "$as" ] || chown nobody "$folder/db"
stop() {
  (cd "$folder/db" && $as "$bin/pg_ctl" -D "$folder/db/data" -m immediate stop >/dev/null 2>&1) || true
  rm -rf "$folder"
}
trap stop EXIT

export GEM_HOME="$folder/gems" GEM_PATH="$folder/gems"
for gem in pg:1.7.0 connection_pool:3.0.2; do
  "$ruby" -S gem install --silent --no-document --install-dir "$GEM_HOME" "$gem"
done
cd "$folder/db"
$as "$bin/initdb" -D "$folder/db/data" -A trust -U test -N >/dev/null
$as "$bin/pg_ctl" -D "$folder/db/data" -o "-c listen_addresses='' -k $folder/db" -l "$folder/db/log" -w start >/dev/null

DATABASE_FOLDER="$folder/db" "$ruby" - <<'RUBY'
require "connection_pool"
require "pg"

# What three requests of the parent get after a fork whose copy does nothing: true for the session of before.
def after_a_fork(**options)
  pool = ConnectionPool.new(size: 1, **options) do
    PG.connect(host: ENV.fetch("DATABASE_FOLDER"), user: "test", dbname: "postgres")
  end
  session = -> { pool.with { |connection| connection.exec("SELECT pg_backend_pid()").getvalue(0, 0) } }
  before = session.call
  Process.wait(fork { exit! })
  Array.new(3) do
    session.call == before
  rescue PG::Error => error
    error.class
  end
end

reloading = after_a_fork
plain = after_a_fork(auto_reload_after_fork: false)
puts "a pool that reloads: #{reloading.inspect}", "a pool that does not: #{plain.inspect}"
abort "changed: the parent keeps its session" unless reloading == [PG::ConnectionBad] * 3
abort "changed: the parent of the other pool loses its session" unless plain == [true] * 3
RUBY
