# frozen_string_literal: true

require "rbconfig"
require "socket"
require_relative "c_library"

module Coppice
  # A process that has loaded what every test file requires, and forks all processes that run some: Ruby's start and
  # these libraries are the greater part of the time of a small file.
  class Preloader
    PROGRAM = File.expand_path("preloaded.rb", __dir__)
    ANSWER_BYTES = 32

    # folder: the project's.
    #: (String) -> void
    def initialize(folder)
      @socket, theirs = UNIXSocket.pair(:SEQPACKET) # keeps the boundaries of messages
      @pid = Process.spawn(RbConfig.ruby, "-w", "-Ilib", "-Itest", "-r", CLibrary::PATH, PROGRAM, theirs.fileno.to_s,
        theirs => theirs, in: File::NULL, chdir: folder, pgroup: true)
      @turn = Mutex.new
    ensure
      theirs&.close
    end

    # Runs test files in one process, whose output is appended to the file at the path `output`. Returns the pid of its
    # reaper, and an IO from which its exit status and the seconds of the processors can be read; that ends without them
    # when the reaper was killed.
    #: (Array[String], Array[String], environment: Hash[String, String], output: String) -> [Integer, IO]
    def start(paths, options, environment:, output:)
      reader, writer = IO.pipe
      file = File.open(output, "a")
      rights = Socket::AncillaryData.unix_rights(file, writer)
      answer = @turn.synchronize do
        @socket.sendmsg(Marshal.dump([paths, options, environment]), 0, nil, rights)
        @socket.recv(ANSWER_BYTES)
      end
      raise "the process that runs the test files has ended" if answer.nil? || answer.empty?

      [Integer(answer), reader]
    ensure
      [file, writer].compact.each(&:close)
    end

    # It exits.
    def close #: () -> void
      @socket.close
      Process.wait(@pid)
    end
  end
end
