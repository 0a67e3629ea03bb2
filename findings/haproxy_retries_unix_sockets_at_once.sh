#!/bin/sh
# HAProxy 2.6.12: the pause before a retry does not exist for Unix sockets; all retries fail within milliseconds.
#
# The guess: HAProxy waits up to a second before it tries the same server again, as its manual says of `retries`. So
# three retries bridge the restart of a server, whatever the address is. A server whose backlog is full gets that time
# as well.
#
# What happens: over TCP the client waits, and gets its answer once the server is back. Over a Unix socket it gets 503
# at once: with a socket file that nobody listens on, and with a full backlog. The kernel refuses these
# connections within connect(2). HAProxy pauses only after an error that it learns of later, as TCP's
# (back_handle_st_cer in src/backend.c); after one of connect(2) itself it tries again at once.
#
# Seen on 2026-11-29 with Ruby 3.4.5 on Debian 12, x86_64 Linux 6.18, `retries 3` and `timeout connect 4s`:
#   nobody listens  503 after 3.3 s over TCP, 7 ms over a Unix socket
#   backlog full    503 after 2 ms over a Unix socket
#   back in 0.7 s   200 after 1.0 s over TCP, 503 after 1 ms over a Unix socket
#
# Nothing is installed: it needs Ruby, and HAProxy 2.6 (Debian's package) in the path or in HAPROXY=.
set -eu
HAPROXY=${HAPROXY:-$(command -v haproxy || echo /usr/sbin/haproxy)}
export HAPROXY
"$HAPROXY" -v | grep -q "version 2\.6" || { echo "this was seen with HAProxy 2.6"; exit 2; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

timeout 60 "${RUBY:-ruby}" - <<'RUBY'
require "socket"

def free_port = TCPServer.open("127.0.0.1", 0) { |server| server.local_address.ip_port }

FRONT, BACK = free_port, free_port
PLACES = { "tcp" => "127.0.0.1:#{BACK}", "unix" => "unix@#{Dir.pwd}/dead", "full" => "unix@#{Dir.pwd}/full" }.freeze

File.write("haproxy.cfg", <<~CONFIG + PLACES.map { |name, at| "backend #{name}\n  server one #{at}\n" }.join)
  defaults
    mode http
    retries 3
    timeout connect 4s
    timeout client 20s
    timeout server 20s
  frontend front
    bind 127.0.0.1:#{FRONT}
    use_backend %[path,field(2,/)]
CONFIG

# The status that a client gets, and after how many seconds.
def get(name)
  start = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  status = Socket.tcp("127.0.0.1", FRONT) do |client|
    client.write("GET /#{name} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
    client.read[/\AHTTP\S+ (\d+)/, 1]
  end
  [status, Process.clock_gettime(Process::CLOCK_MONOTONIC) - start]
end

def serve(server)
  Thread.new do
    client = server.accept
    client.readpartial(4096)
    client.write("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
    client.close
  end
end

UNIXServer.new("dead").close # leaves its file
full = UNIXServer.new("full").tap { |server| server.listen(0) }
waiting = UNIXSocket.new("full") # the only place in the backlog
haproxy = spawn(ENV.fetch("HAPROXY"), "-db", "-f", "haproxy.cfg", err: File::NULL)
at_exit { Process.kill(:KILL, haproxy) && Process.wait(haproxy) }
100.times { Socket.tcp("127.0.0.1", FRONT).close and break rescue sleep 0.1 }

seen = PLACES.keys.to_h { |name| [name, get(name)] }
seen.each { |name, (status, seconds)| puts format("%-9s %s after %.3f s", name, status, seconds) }
{ "tcp" => -> { TCPServer.new("127.0.0.1", BACK) }, "unix" => -> { UNIXServer.new("dead") } }.each do |name, listen|
  answer = Thread.new { get(name) }
  sleep 0.7
  File.delete("dead") if name == "unix"
  serve(listen.call)
  puts format("%-4s back %s after %.3f s", name, *(seen["#{name} back"] = answer.value))
end
waiting.close && full.close

expected = seen.transform_values(&:first) == { "tcp" => "503", "unix" => "503", "full" => "503", "tcp back" => "200",
                                                "unix back" => "503" }
quick = %w[unix full].all? { |name| seen[name].last < 0.5 } && seen["tcp"].last > 2
abort "changed: HAProxy waits before it tries a Unix socket again" unless expected && quick
RUBY
