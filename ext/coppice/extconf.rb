# frozen_string_literal: true

# Writes the Makefile of the extension. Two switches, for development:
#   COPPICE_STRICT=1    every warning we care about is an error
#   COPPICE_SANITIZE=1  AddressSanitizer and UndefinedBehaviorSanitizer, for bin/sanitize
require "mkmf"

abort "Coppice runs on Linux only: there is no epoll here" unless have_header("sys/epoll.h")

# Each probe defines HAVE_<NAME>; the code that uses it has another way for systems without.
have_func("accept4", "sys/socket.h", "-D_GNU_SOURCE")
have_func("sendfile", "sys/sendfile.h")

append_cflags(%w[-fvisibility=hidden -O3])

# Appended unprobed: mkmf probes with a program that -Wextra itself would refuse.
flags = []
flags += %w[-Wall -Wextra -Wshadow -Wmissing-prototypes -Wno-unused-parameter -Werror] if ENV["COPPICE_STRICT"]
if ENV["COPPICE_SANITIZE"]
  flags += %w[-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all]
  flags += ["-include", File.expand_path("../../test/support/plain_malloc.h", __dir__)]
end
# rubocop:disable Style/GlobalVars -- globals are how mkmf is told
$CFLAGS << " " << flags.join(" ")
$LDFLAGS << " -fsanitize=address,undefined" if ENV["COPPICE_SANITIZE"]
$defs << "-D_GNU_SOURCE"
# rubocop:enable Style/GlobalVars

create_makefile("coppice/#{RUBY_VERSION[/\A\d+\.\d+/]}/coppice_ext")
