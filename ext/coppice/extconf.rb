# frozen_string_literal: true

# Writes the Makefile of the extension. Three switches, for development:
#   COPPICE_STRICT=1    every warning we care about is an error
#   COPPICE_SANITIZE=1  AddressSanitizer and UndefinedBehaviorSanitizer, for bin/sanitize; without the lobby's program
#   COPPICE_PORTABLE=1  as on a system that is not Linux, for bin/portable
require "etc"
require "mkmf"

missing = %w[poll.h sys/socket.h].reject { |header| have_header(header) }
abort "Coppice needs a POSIX system: there is no #{missing.join(" and no ")}" unless missing.empty?

# COPPICE_LINUX is defined where the system has all calls that only Linux has. Code that makes such a call asks for it,
# not for HAVE_<NAME>: ruby.h defines HAVE_SENDFILE on other systems as well, for a function with other arguments.
# Without COPPICE_LINUX the server is one process.
linux = ENV["COPPICE_PORTABLE"].nil? && have_header("sys/epoll.h") &&
        have_func("memfd_create", "sys/mman.h", "-D_GNU_SOURCE")

have_func("rb_objspace_each_objects") # exported without a header

append_cflags(%w[-fvisibility=hidden -O3])

# Appended without a probe: the program that mkmf probes with does not pass -Wextra itself.
flags = []
flags += %w[-Wall -Wextra -Wshadow -Wmissing-prototypes -Wno-unused-parameter -Werror] if ENV["COPPICE_STRICT"]
if ENV["COPPICE_SANITIZE"]
  flags += %w[-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all]
  # Ruby leaves a frame by a jump that AddressSanitizer does not see, and the frame's surroundings stay forbidden to the
  # next thread on the same stack. The code without Ruby is watched with its stack by its own programs.
  flags += %w[--param asan-stack=0]
  flags += ["-include", File.expand_path("../../test/support/plain_malloc.h", __dir__)]
end
# rubocop:disable Style/GlobalVars -- mkmf takes flags in global variables
$CFLAGS << " " << flags.join(" ")
$LDFLAGS << " -fsanitize=address,undefined" if ENV["COPPICE_SANITIZE"]
$defs << "-D_GNU_SOURCE"
$defs << "-DCOPPICE_LINUX" if linux
# rubocop:enable Style/GlobalVars

# Rooms whose code the lobby's program has as well: it knows nothing of Ruby.
WITHOUT_RUBY = %w[http shared].freeze
LOBBY = Dir.glob("lobby/*/", base: __dir__).map { |room| room.chomp("/") }.freeze
ROOMS = ["board", "client", "os", *WITHOUT_RUBY].freeze

objects = lambda do |rooms|
  Dir.glob(rooms.map { |room| "#{room}/*.c" }, base: __dir__).sort.map { |name| name.sub(/c\z/, "o") }
end
# rubocop:disable Style/GlobalVars -- mkmf takes what to make in global variables
$objs = ["coppice_ext.o", *objects.call(ROOMS)]
$headers = Dir.glob("**/*.h", base: __dir__).sort.map { |name| "$(srcdir)/#{name}" }
[*ROOMS, *LOBBY].each do |room|
  FileUtils.mkdir_p(room) # for the objects
  $cleanfiles.push("#{room}/*.o")
end
# rubocop:enable Style/GlobalVars

# The lobby's program. Installed beside the extension.
if linux && !ENV["COPPICE_SANITIZE"]
  program = "coppice-lobby"
  rules = <<~MAKE
    LOBBY = #{program}
    LOBBY_OBJS = #{objects.call([*LOBBY, *WITHOUT_RUBY]).join(" ")}

    all: $(LOBBY)
    install-so: install-lobby
    .PHONY: install-lobby

    $(LOBBY): $(LOBBY_OBJS) Makefile
    \t$(ECHO) linking $(LOBBY)
    \t-$(Q)$(RM) $@
    \t$(Q) $(CC) $(CFLAGS) -o $@ $(LOBBY_OBJS) $(ldflags)

    $(LOBBY_OBJS): $(LOCAL_HDRS)

    install-lobby: $(LOBBY) install-folder
    \t$(INSTALL_PROG) $(LOBBY) $(RUBYARCHDIR)

    install-folder:
    \t$(Q) $(MAKEDIRS) $(RUBYARCHDIR)
    .PHONY: install-folder
  MAKE
  $cleanfiles.push(program) # rubocop:disable Style/GlobalVars -- mkmf's
end

create_makefile("coppice/#{RUBY_VERSION[/\A\d+\.\d+/]}/coppice_ext")
# RubyGems asks for one file after the other.
parallel = "MAKEFLAGS += -j#{Etc.nprocessors}\n" if RUBY_PLATFORM.include?("linux")
File.write("Makefile", [rules, parallel].join, mode: "a")
