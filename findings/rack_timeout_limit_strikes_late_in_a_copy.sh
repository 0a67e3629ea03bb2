#!/bin/sh
# rack-timeout 0.7.0: a child forked inside a request outlives the limit, and is then struck at its next request.
#
# The guess: the limit of a request either holds in a child that the request forks, or has no meaning there; what the
# child does later has its own limit.
#
# What happens: the limits wait in a list that one thread per process looks at. The child inherits the list, but not the
# thread: nothing ends its work when the limit is over. The first limit that the child itself sets starts the thread
# anew (lib/rack/timeout/support/scheduler.rb), which finds the old limit overdue and raises at once in the thread that
# it was made for, the child's only one. So a request that would take 0.2 of its 5 seconds fails within
# milliseconds. Limits of requests that ended before the fork do no harm: they are marked as cancelled.
#
# Seen on 2026-11-29, x86_64 Linux, Ruby 3.4.5, rack 3.2.8: limit 1 s, and 5 s for the next request.
#   the child sleeps 2 s, as if there was no limit; its next request is struck within 0.01 s
#   a child forked after a request: the next request answers after 0.2 s
set -eu
ruby=${RUBY:-ruby}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for gem in rack:3.2.8 rack-timeout:0.7.0; do
  "$ruby" -S gem install --silent --no-document --install-dir "$folder" "$gem"
done

GEM_HOME=$folder GEM_PATH=$folder timeout 60 "$ruby" - <<'RUBY'
require "rack"
require "rack/timeout/base"
Rack::Timeout::Logger.disable

def seconds
  start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  result = begin
    yield
  rescue Exception => e # rack-timeout's is no StandardError inside of the application
    e.class.name
  end
  [result, (Process.clock_gettime(Process::CLOCK_MONOTONIC) - start).round(2)]
end

def request(limit, &application)
  Rack::Timeout.new(->(_env) { [application.call, {}, []] }, service_timeout: limit).call({}).first
end

# In a child: sleeps for longer than the first limit, and then serves a request of 0.2 seconds.
def child
  reader, writer = IO.pipe
  pid = fork do
    first = seconds { sleep 2; "slept" }
    second = seconds { request(5) { sleep 0.2; 200 } }
    writer.write Marshal.dump([first, second])
    writer.close
    exit!(0)
  end
  [pid, reader, writer.close].first(2)
end

def report(pid, reader)
  Process.wait(pid)
  Marshal.load(reader.read)
end

inside = nil
request(1) { (inside = child) && 200 }
inside = report(*inside)
after = report(*child)
puts "forked inside a request: sleep #{inside[0].inspect}, next request #{inside[1].inspect}"
puts "forked after a request:  sleep #{after[0].inspect}, next request #{after[1].inspect}"

late = inside[0][0] == "slept" && inside[1][0].to_s.start_with?("Rack::Timeout::") && inside[1][1] < 0.15
abort "changed: the old limit did not strike the child's next request" unless late
abort "changed: a child forked after the request was struck as well" unless after[1][0] == 200
RUBY
