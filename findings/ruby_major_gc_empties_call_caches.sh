#!/bin/sh
# Ruby 3.4.5: each major collection empties the inline caches of all method calls.
#
# The guess: a collection keeps the caches of calls whose methods are unchanged, as Ruby 3.1.2 does. What a process has
# warmed up is then shared by its copies, and a collection in a copy writes to none of it.
#
# What happens: the collector takes every cache for one that is not in use, and writes an empty one over it. So a
# process that collects right before it forks hands on cold caches, and a copy's first major collection gives it its own
# copy of every page with such caches. The cause is a condition without its comparison, in cc_is_active (iseq.c), since
# 2024-04-18; 4.0.5 has it as well.
#
# Seen on 2026-11-29, x86_64 Linux, pages that a child's GC.start copied: 100,000 call sites are 391 pages of caches.
#   3.1.2  filled caches cost no page more than unused ones
#   3.4.5  filled caches cost 393 to 396 pages more than unused ones
#
# Nothing is installed: it needs Ruby 3.4.5, in the path or in RUBY=.
set -eu
ruby=${RUBY:-ruby}
"$ruby" -e 'abort "this was seen with Ruby 3.4.5, not with #{RUBY_VERSION}" unless RUBY_VERSION == "3.4.5"'

exec "$ruby" --disable=gems - <<'RUBY'
SITES = 100_000
PAGES = SITES * 16 / 4096 # a call site has two pointers

# In a process of its own: how many pages does a copy of it get for itself when it collects?
def copied_pages(filled)
  reader, writer = IO.pipe
  pid = fork do
    eval "def calls(object)\n#{"object.itself\n" * SITES}end"
    GC.start
    calls(Object.new) if filled
    Process.wait(fork do
      faults = -> { File.read("/proc/self/stat").split[9].to_i }
      GC.disable # nothing but the collection that was asked for
      before = faults.call
      GC.start
      writer.write(faults.call - before)
    end)
  end
  writer.close
  Process.wait(pid)
  Integer(reader.read)
end

more = copied_pages(true) - copied_pages(false)
puts "Ruby #{RUBY_VERSION}: filled caches cost #{more} pages more than unused ones, of #{PAGES + 1} with caches"
abort "changed: the collection kept the caches" if more < PAGES * 9 / 10
RUBY
