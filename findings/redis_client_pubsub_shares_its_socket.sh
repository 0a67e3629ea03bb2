#!/bin/sh
# redis-client 0.31.0: a client notices a fork, its PubSub object does not: the copy takes the parent's messages.
#
# The guess: what holds for RedisClient holds for what it hands out. In a copy, a PubSub object raises an error or
# answers nothing, because it is not to reconnect by itself.
#
# What happens: RedisClient compares the process at each use (ensure_connected in lib/redis_client.rb). A PubSub object
# has taken the bare connection, whose read and write have no such check. It works in the copy on the parent's socket:
# the copy gets a message that the parent then never sees, and what the copy unsubscribes, the parent has lost. Nothing
# is raised in either process.
#
# Seen on 2026-11-29, x86_64 Linux, Ruby 3.4.5, Redis 7.0.15:
#   the client in the copy          has a session of its own
#   next_event in the copy          the message
#   then next_event in the parent   nil
#   after UNSUBSCRIBE in the copy   the server has no subscriber any more
#
# It needs Ruby 3.4 (in the path or in RUBY=) and redis-server; one gem is installed in a temporary folder.
set -eu
ruby=${RUBY:-ruby}
command -v redis-server >/dev/null || { echo "Redis is missing: install the package redis-server" >&2; exit 2; }
folder=$(mktemp -d)
server=
stop() {
  [ -z "$server" ] || kill "$server" || true
  rm -rf "$folder"
}
trap stop EXIT
export GEM_HOME="$folder/gems" GEM_PATH="$folder/gems" SOCKET="$folder/redis"
"$ruby" -S gem install --silent --no-document --install-dir "$GEM_HOME" redis-client:0.31.0
redis-server --port 0 --unixsocket "$SOCKET" --save "" --dir "$folder" >/dev/null &
server=$!
tries=0
until [ -S "$SOCKET" ]; do
  tries=$((tries + 1))
  [ "$tries" -lt 100 ] || { echo "Redis does not start" >&2; exit 2; }
  sleep 0.1
done

"$ruby" - <<'RUBY'
require "redis-client"

def in_a_copy
  reader, writer = IO.pipe
  pid = fork do
    writer.write(Marshal.dump(yield))
    writer.close
    exit!
  end
  writer.close
  Marshal.load(reader.read)
ensure
  Process.wait(pid)
end

client = RedisClient.new(path: ENV.fetch("SOCKET"))
session = client.call("CLIENT", "ID")
pubsub = RedisClient.new(path: ENV.fetch("SOCKET")).pubsub
pubsub.call("SUBSCRIBE", "news")
pubsub.next_event(2)

own = in_a_copy { client.call("CLIENT", "ID") != session }
client.call("PUBLISH", "news", "hello")
copy = in_a_copy { pubsub.next_event(2) }
parent = pubsub.next_event(1)
in_a_copy { pubsub.call("UNSUBSCRIBE", "news") && pubsub.next_event(2) }
subscribers = client.call("PUBSUB", "NUMSUB", "news").last

puts "the client has a session of its own in the copy: #{own}", "the copy's next_event: #{copy.inspect}",
     "the parent's next_event: #{parent.inspect}", "subscribers after the copy's UNSUBSCRIBE: #{subscribers}"
same = [own, copy, parent, subscribers] == [true, %w[message news hello], nil, 0]
abort "changed: the copy no longer takes its parent's messages" unless same
RUBY
