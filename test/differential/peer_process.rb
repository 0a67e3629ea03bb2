# frozen_string_literal: true

require "io/wait"
require "open3"
require "rbconfig"
require_relative "../support/bounded_wait"

module Coppice
  # Another server's parser, in a process of its own with its own gems (peer.rb). A crash or an endless loop of the
  # parser does not harm the test.
  class PeerProcess
    NAMES = %w[Puma Pitchfork Falcon].freeze
    PROGRAM = File.expand_path("peer.rb", __dir__)
    GEMFILE = File.expand_path("../../gemfiles/peers.gemfile", __dir__)
    ENVIRONMENT = { "BUNDLE_GEMFILE" => GEMFILE, "RUBYOPT" => nil }.freeze
    UNSUPPORTED_RUBY = 3 # exit status of a peer whose gem the bundle leaves out

    # The peer returned no reading of a request.
    class Stuck < StandardError; end

    attr_reader :name #: String

    def initialize(name) #: (String) -> void
      @name = name
    end

    # Why the peer cannot run; nil if it can.
    def missing #: () -> String?
      output, status = Open3.capture2e(*command, stdin_data: Marshal.dump([]))
      return if status.success?
      return "its gem does not support Ruby #{RUBY_VERSION}" if status.exitstatus == UNSUPPORTED_RUBY

      "its gem cannot be loaded (bin/differential installs it): #{output.lines.first}"
    end

    # A reading of each request.
    def read(requests) #: (Array[String]) -> Array[Hash[Symbol, untyped]]
      IO.popen(command, "r+b") do |io|
        Marshal.dump(requests, io)
        io.close_write
        requests.map { |request| next_reading(io, request) }
      end
    end

    private

    def command = [ENVIRONMENT, RbConfig.ruby, PROGRAM, @name]

    def next_reading(io, request)
      Marshal.load(BoundedWait.readable(io)) # rubocop:disable Security/MarshalLoad -- our own child
    rescue BoundedWait::TimedOut => error
      Process.kill(:KILL, io.pid)
      raise Stuck, "#{@name} has not finished #{request.inspect}: #{error.message}"
    rescue EOFError
      raise Stuck, "#{@name} exited at #{request.inspect}"
    end
  end
end
