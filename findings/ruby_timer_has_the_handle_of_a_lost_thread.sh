#!/bin/sh
# Ruby 3.4.5, glibc: in a forked copy the handle of a native thread that the fork lost names Ruby's own timer thread.
#
# The guess: what a copy does with the handle of a lost thread (a library joins it as it is closed) fails or returns at
# once. Under glibc a join in a copy indeed returns 0: fork sets the ids of all lost threads to 0, and 0 is how a join
# sees the end of a thread.
#
# What happens: fork also gives the stacks of lost threads to glibc's cache, from which new threads are made, and a
# handle (pthread_t) is an address in such a stack. Since 3.3 Ruby starts its timer thread in each copy right after the
# fork, before any code of the program runs. So the handle is valid again, but of another thread. A join waits for the
# timer, which lives as long as the process; a signal or a name that is meant for the lost thread goes to it.
# The sources: reclaim_stacks in glibc's sysdeps/nptl/fork.h; rb_thread_create_timer_thread in Ruby's thread_pthread.c.
#
# Seen on 2026-11-29, x86_64 Linux 6.18, glibc 2.36, five times each:
#   a C program:  in the copy a join returns 0 at once
#   Ruby 3.1.2:   the same, after 0.1 ms
#   Ruby 3.4.5:   ETIMEDOUT after the limit of one to two seconds, and the timer thread takes the name
#
# Nothing is installed: it needs Ruby 3.4.5 with fiddle, in the path or in RUBY=, and glibc.
set -eu
ruby=${RUBY:-ruby}
"$ruby" -e 'abort "this was seen with Ruby 3.4.5, not with #{RUBY_VERSION}" unless RUBY_VERSION == "3.4.5"'

exec timeout 30 "$ruby" --disable=gems - <<'RUBY'
require "fiddle"

$stdout.sync = true
LIBC = Fiddle.dlopen(nil)
ANY = Fiddle::TYPE_VOIDP
def native(name, *arguments) = Fiddle::Function.new(LIBC[name], arguments, Fiddle::TYPE_INT)
def tasks = Dir.children("/proc/self/task").map { |id| Integer(id) }

# A thread of no Ruby code that does nothing: its start routine is pause(2).
before = tasks
memory = Fiddle::Pointer.malloc(8)
native("pthread_create", ANY, ANY, ANY, ANY).call(memory, nil, LIBC["pause"], nil).zero? or abort "no thread"
HANDLE = memory[0, 8].unpack1("J")
LOST = (tasks - before).first or abort "the thread is not seen"

# Which thread takes a name that is given by the handle?
def named(name)
  native("pthread_setname_np", Fiddle::TYPE_UINTPTR_T, ANY).call(HANDLE, name)
  tasks.find { |id| File.read("/proc/self/task/#{id}/comm").chomp == name }
end

# A join that gives up after one to two seconds.
def join
  limit = [Time.now.to_i + 2, 0].pack("qq")
  native("pthread_timedjoin_np", Fiddle::TYPE_UINTPTR_T, ANY, ANY).call(HANDLE, nil, limit)
end

abort "the handle does not name the thread in the parent" unless named("mine") == LOST
reader, writer = IO.pipe
Process.wait(fork do
  writer.write(Marshal.dump([Process.pid, tasks, named("renamed"), join]))
  writer.close
  exit!
end)
writer.close
pid, all, owner, status = Marshal.load(reader.read)

puts "Ruby #{RUBY_VERSION}: the parent's thread is #{LOST}"
puts "the copy is process #{pid} with the threads #{all.sort.join(' ')}"
puts "there the handle names #{owner.inspect}, and a join returns #{status} (#{Errno::ETIMEDOUT::Errno} is ETIMEDOUT)"
taken = owner && owner != LOST && owner != pid && all.include?(owner)
abort "changed: the handle names no thread that the copy started" unless taken && status == Errno::ETIMEDOUT::Errno
exit!(0)
RUBY
