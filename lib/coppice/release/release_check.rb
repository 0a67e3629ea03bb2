# frozen_string_literal: true

require "rbconfig"
require "coppice/errors"
require "coppice/executable"
require "coppice/os/clock"
require "coppice/version"

module Coppice
  # Checks, in a process of its own, that the release in a directory can be booted by this server. It never blocks:
  # `reader` can be read when it is worthwhile to ask again. Used by the monitor, and by `coppice check --in`.
  class ReleaseCheck
    SECONDS = 60 # maximum
    PROGRAM = File.read(File.expand_path("inspection.rb", __dir__)).freeze
    RUBY_VERSION_FILE = ".ruby-version"

    # What a release is booted with.
    Result = Struct.new(:ruby, :executable, :ruby_version, :interpreter)

    attr_reader :reader      #: IO
    attr_reader :directory   #: String
    attr_reader :environment #: Hash[String, String]
    attr_reader :pid         #: Integer

    # The Ruby version that the release in this directory asks for; nil if it asks for none.
    #: (String) -> String?
    def self.ruby_version_in(directory)
      File.read(File.join(directory, RUBY_VERSION_FILE), 64).to_s[/\d+\.\d+(\.\d+)?/]
    rescue SystemCallError
      nil
    end

    # directory: without symlinks. arguments: the flags of the server. first_ruby: the version that the first release
    # asked for. Raises Error when there is no Ruby to start.
    #: (directory: String, environment: Hash[String, String], arguments: Array[String], first_ruby: String?) -> void
    def initialize(directory:, environment:, arguments:, first_ruby:)
      @directory = directory
      @environment = environment
      @ended = @exited = false
      wanted = wanted_ruby(first_ruby)
      @ruby = wanted ? "ruby" : RbConfig.ruby
      @bytes = +"".b
      @deadline = OS::Clock.now + SECONDS
      start([VERSION, EXECUTABLE, wanted.to_s, *arguments])
    end

    # nil as long as it is not known. Raises Error with what is wrong.
    #: () -> Result?
    def result
      note_exit
      return late if OS::Clock.now >= @deadline
      return unless ended?

      answer = Marshal.load(@bytes) # rubocop:disable Security/MarshalLoad -- of our own child
      raise ReleaseRefused.new(answer[:error], reason: answer[:reason]) if answer[:error]

      Result.new(@ruby, *answer.values_at(:executable, :ruby_version, :interpreter))
    rescue ArgumentError, TypeError # it was killed, or the configuration has called exit!
      raise Error, "the process that checks #{directory} ended without an answer: see standard error"
    end

    # Ends the process if it still runs. Its parent reaps it, but not before it has asked for `result` after the exit.
    #: () -> void
    def close
      @reader.close
      Process.kill(:KILL, -pid) unless @ended || @exited # and what its configuration has started
    rescue Errno::ESRCH
      @exited = true
    end

    private

    # A release may come with another Ruby. If it asks for none, or for the one that the first release asked for, it
    # gets the server's.
    def wanted_ruby(first_ruby)
      wanted = self.class.ruby_version_in(directory)
      wanted unless wanted.nil? || wanted == first_ruby || RUBY_VERSION.start_with?(wanted)
    end

    # `ruby` is found by the PATH of the release's environment, as a version manager has it in that directory.
    def start(arguments)
      OS.probe_fork # else Process.spawn waits until there is a process left
      @reader, writer = IO.pipe(binmode: true)
      @pid = Process.spawn(@environment, @ruby, "-e", PROGRAM, writer.fileno.to_s, *arguments,
                           writer.fileno => writer.fileno, in: File::NULL, chdir: directory, pgroup: true,
                           unsetenv_others: true, close_others: true)
    rescue SystemCallError => error
      @reader&.close
      raise Error, "#{@ruby} cannot be started in #{directory}: #{error.message}"
    ensure
      writer&.close
    end

    # A process that the configuration has forked may keep the pipe for longer than this one lives. Once this one is
    # reaped, another process can get its number.
    def note_exit
      @exited ||= OS.supervises? && !OS.exited_child(pid).nil?
    end

    def ended?
      loop do
        case chunk = @reader.read_nonblock(65_536, exception: false)
        when :wait_readable then return false
        when nil then return @ended = true
        else @bytes << chunk
        end
      end
    end

    def late
      raise Error, "#{directory} could not be checked within #{SECONDS} s: does its configuration file hang?"
    end
  end
end
