# frozen_string_literal: true

# The program of Preloader. It loads what test_helper.rb does, and no more than it needs itself: a file of the library
# that does not require what it uses is to fail. CLibrary comes from the command line, as its file needs more.

require "minitest"
require "minitest/spec"
require "socket"
require_relative "leak_check"
require_relative "reaper"
require_relative "strict_warnings"
require_relative "test_case"

socket = UNIXSocket.for_fd(Integer(ARGV.first))
loop do
  request, _, _, rights = socket.recvmsg(scm_rights: true)
  break if request.to_s.empty? # the runner has gone

  paths, options, environment = Marshal.load(request) # rubocop:disable Security/MarshalLoad -- our parent's
  output, status = rights.unix_rights
  reaper = fork do
    socket.close
    file = IO.for_fd(output.fileno, "a", autoclose: false) # a stream takes the mode of what it is reopened with
    [$stdout, $stderr].each { |stream| stream.reopen(file) }
    output.close
    ENV.update(environment)
    Reaper.new(status).run do
      $PROGRAM_NAME = paths.first
      # Minitest finds plugins in all gems of this Ruby, such as railties, which loads other versions of ours.
      ARGV.replace(["--no-plugins", *options])
      paths.each do |path|
        before = Minitest::Runnable.runnables.dup
        load path
        tests = (Minitest::Runnable.runnables - before).flat_map { |added| added.methods_matching(/^test_/) }
        raise "#{path} holds no test in a class of its own" if tests.empty?
      end
    end
  end
  [output, status].each(&:close)
  socket.send(reaper.to_s, 0)
  nil while Process.wait(-1, Process::WNOHANG) # those of files that have ended
rescue Errno::ECHILD
  next
end
Process.waitall # so that their time counts as this one's
