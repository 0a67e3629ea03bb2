#!/bin/sh
# mimalloc 2.0.9: memory of a thread that a fork left behind is lost to the child, even after the child has freed it.
#
# The guess: a child that frees objects can use their memory again or give it back to the kernel, whichever thread of
# the parent had allocated it. So it is with glibc, whose malloc_trim reaches the heaps of all threads.
#
# What happens: each thread has a heap of its own. A thread that ends leaves its pages to the others; at a fork it does
# not end, it is only missing in the child. What others free in its pages waits in lists that only the owner looks at
# (src/page.c). So mi_collect does not reach it, and new objects of the same size get new memory. The library has no
# fork handler. A child of a warm process pays this for all that living threads of the parent had made.
#
# Seen on 2026-11-29, x86_64 Linux, Ruby 3.4.5, Debian 12's libmimalloc2.0 2.0.9 and glibc 2.36. The parent makes 100 MB
# of strings; a child drops them, collects, asks the allocator to give back, and makes 100 MB of such strings again.
# Growth of the child:
#   glibc, made by a thread 1 MB      mimalloc, made by the main thread 1 MB      mimalloc, made by a thread 101 MB
#
# Nothing is installed. It needs Ruby 3.4 or newer with fiddle, in the path or in RUBY=, and Debian's libmimalloc2.0, or
# its path in MIMALLOC=.
set -eu
ruby=${RUBY:-ruby}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

library=${MIMALLOC:-$(ldconfig -p | sed -n 's/.*libmimalloc\.so\.2\.0.* => //p' | head -n 1)}
[ -n "$library" ] || { echo "needs Debian's package libmimalloc2.0"; exit 2; }

cat > "$folder/growth.rb" <<'RUBY'
require "fiddle"

def resident = File.read("/proc/self/status")[/^VmRSS:\s+(\d+)/, 1].to_i / 1024

def strings = Array.new(100_000) { "x" * 1000 }

kept = nil
if ARGV.first == "thread"
  made = Queue.new
  Thread.new do
    kept = strings
    made << true
    sleep
  end
  made.pop
else
  kept = strings
end

Process.wait(fork do
  before = resident
  kept.clear
  3.times { GC.start }
  release = Fiddle::Handle::DEFAULT[ENV["LD_PRELOAD"] ? "mi_collect" : "malloc_trim"]
  Fiddle::Function.new(release, [Fiddle::TYPE_LONG], Fiddle::TYPE_VOID).call(1)
  anew = strings
  puts resident - before
  anew.clear
  $stdout.flush
  exit!(0)
end)
RUBY

glibc=$(env -u LD_PRELOAD timeout 30 "$ruby" --disable=gems "$folder/growth.rb" thread)
main=$(LD_PRELOAD=$library timeout 30 "$ruby" --disable=gems "$folder/growth.rb" main)
thread=$(LD_PRELOAD=$library timeout 30 "$ruby" --disable=gems "$folder/growth.rb" thread)
echo "growth of the child in MB: glibc, a thread's strings $glibc; mimalloc, main thread's $main, a thread's $thread"
if [ "$thread" -lt 60 ] || [ "$main" -gt 40 ]; then
  echo "changed: the child reused what the parent's thread had allocated"
  exit 1
fi
