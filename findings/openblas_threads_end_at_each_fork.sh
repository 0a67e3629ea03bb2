#!/bin/sh
# OpenBLAS 0.3.21: each fork ends its threads in the parent as well, and so does each spawn, but only of root.
#
# The guess: a fork leaves the parent as it is, with all its threads; only the copy lacks them. And a program that is
# started with spawn or backticks is no matter of the library's at all.
#
# What happens: a handler that the library has registered for the time before a fork stops all its threads and waits for
# them, in the process that forks. They come back at the next product of matrices, in the parent and in the copy, which
# therefore does not hang. Ruby starts programs by vfork, which runs no such handlers, but by fork where the process has
# privileges. So the same program keeps its threads as a user and loses them as root.
# The sources: openblas_fork_handler in driver/others/memory.c; has_privilege in Ruby's process.c.
#
# Seen on 2026-11-29, x86_64 Linux 6.18, Ruby 3.4.5, OpenBLAS 0.3.21 of Debian 12, with four threads, tasks of the
# process:
#   after a product 5, after a fork 2, after the next product 5, in the copy 2 and 5
#   after a spawn: 2 as root, 5 as another user
#
# Nothing is installed: it needs Ruby with fiddle, in the path or in RUBY=, Debian's libopenblas0-pthread (another place
# of the library: OPENBLAS=), and for the last line root, and setpriv.
set -eu
ruby=${RUBY:-ruby}
library=${OPENBLAS:-/usr/lib/$(uname -m)-linux-gnu/openblas-pthread/libopenblas.so.0}
[ -e "$library" ] || { echo "this needs libopenblas0-pthread" >&2; exit 1; }
[ "$(id -u)" = 0 ] || { echo "this needs root" >&2; exit 1; }

program=$(mktemp)
trap 'rm -f "$program"' EXIT
cat > "$program" <<'RUBY'
require "fiddle"

BLAS = Fiddle.dlopen(ARGV.fetch(0))
INT, REAL, ANY = Fiddle::TYPE_INT, Fiddle::TYPE_DOUBLE, Fiddle::TYPE_VOIDP
SIZE = 500
MATRICES = Array.new(3) { Fiddle::Pointer.malloc(SIZE * SIZE * 8) }
PRODUCT = Fiddle::Function.new(BLAS["cblas_dgemm"],
  [*[INT] * 6, REAL, ANY, INT, ANY, INT, REAL, ANY, INT], Fiddle::TYPE_VOID)

# The number of threads after a product of two matrices, in rows and not transposed.
def product
  a, b, c = MATRICES
  PRODUCT.call(101, 111, 111, SIZE, SIZE, SIZE, 1.0, a, SIZE, b, SIZE, 0.0, c, SIZE)
  tasks
end

def tasks = Dir.children("/proc/self/task").size

Fiddle::Function.new(BLAS["openblas_set_num_threads"], [INT], Fiddle::TYPE_VOID).call(4)
seen = { product: product }
reader, writer = IO.pipe
Process.wait(fork { writer.write(Marshal.dump([tasks, product])); writer.close; exit! })
writer.close
seen.update(fork: tasks, next_product: product)
seen[:in_copy], seen[:product_in_copy] = Marshal.load(reader.read)
Process.wait(spawn("/bin/true"))
seen[:spawn] = tasks
puts "Ruby #{RUBY_VERSION}, user #{Process.uid}: #{seen}"
full, few = seen.values_at(:product, :fork)
spawned = Process.uid.zero? ? few : full
as_before = [full, few + 3, full, few, full, spawned] == seen.values_at(:product, :product, :next_product, :in_copy,
  :product_in_copy, :spawn)
abort "changed: a fork or a spawn leaves other numbers of threads" unless as_before
RUBY
chmod 644 "$program"

timeout 30 "$ruby" "$program" "$library"
timeout 30 setpriv --reuid 65534 --regid 65534 --clear-groups "$ruby" "$program" "$library"
