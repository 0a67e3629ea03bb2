#!/bin/sh
# Active Record 8.1.1: a forked process that serves one request after the other never gets its min_connections.
#
# The guess: min_connections is, as the documentation says, the least number of connections that the pool opens and
# keeps. A copy starts with none; after its first query its own reaper fills the pool up in its next round.
#
# What happens: the reaper fills only a pool that is "activated". That takes a new connection which is asked for while
# there is another one, or by another thread or fiber than the one that has made the pool object
# (try_to_checkout_new_connection in connection_adapters/abstract/connection_pool.rb). A copy throws away the pools it
# has inherited, with that mark, and the thread that runs the first query makes the new one. So its first connection
# never counts, and a process with one thread needs no second one. Only two connections at once make it three.
#
# Seen on 2026-11-29, x86_64 Linux, Ruby 3.4.5, sqlite3 2.10.2, min_connections 3, a reaper that runs each 0.2 s; the
# connections 1 s after the last use (the same with PostgreSQL 15.20 and pg 1.7.0, single thread, after 6 s):
#   parent, two threads at once             3
#   its copy, queries one after the other   1
#   its copy, in a thread for each query    1
#   its copy, two threads at once           3
#
# It needs Ruby 3.4, in the path or in RUBY=. Four gems, and what they need, are installed in a temporary folder.
set -eu
ruby=${RUBY:-ruby}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >Gemfile <<'GEMS'
source Gem.sources.first.uri.to_s
gem "activerecord", "8.1.1"
gem "sqlite3", "2.10.2"
gem "json", "2.9.1" # these two need no compiler
gem "minitest", "5.25.5"
GEMS
export BUNDLE_GEMFILE="$folder/Gemfile" BUNDLE_PATH="$folder/gems"
"$ruby" -S bundle install --quiet

"$ruby" -S bundle exec "$ruby" - <<'RUBY'
require "active_record"

ActiveRecord::Base.establish_connection(
  adapter: "sqlite3", database: "test.sqlite3", max_connections: 5, min_connections: 3, reaping_frequency: 0.2
)

def query = ActiveRecord::Base.with_connection { |connection| connection.select_value("SELECT 1") }

def two_at_once
  both = Queue.new
  Array.new(2) do
    Thread.new do
      ActiveRecord::Base.with_connection do
        both << true
        Thread.pass until both.size == 2
      end
    end
  end.each(&:join)
end

def connections
  sleep 1
  ActiveRecord::Base.connection_pool.stat[:connections]
end

def in_a_copy
  reader, writer = IO.pipe
  Process.wait(fork do
    yield
    writer.write(connections)
    writer.close
    exit!
  end)
  writer.close
  Integer(reader.read)
end

two_at_once
seen = {
  "parent, two threads at once" => connections,
  "copy, queries one after the other" => in_a_copy { 5.times { query } },
  "copy, in a thread for each query" => in_a_copy { 5.times { Thread.new { query }.join } },
  "copy, two threads at once" => in_a_copy { two_at_once }
}
seen.each { |name, number| puts "#{name}: #{number}" }
abort "changed: not 3, 1, 1, 3" unless seen.values == [3, 1, 1, 3]
RUBY
