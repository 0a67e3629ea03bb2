# frozen_string_literal: true

require "io/wait"
require "open3"
require "rbconfig"

module Coppice
  # Another server's parser, in a process of its own with its own gems (peer.rb). Nothing that it does to itself, and no
  # endless loop, harms the test.
  class PeerProcess
    NAMES = %w[Puma Pitchfork Falcon].freeze
    PROGRAM = File.expand_path("peer.rb", __dir__)
    ENVIRONMENT = { "BUNDLE_GEMFILE" => File.expand_path("../../gemfiles/peers.gemfile", __dir__), "RUBYOPT" => nil }.freeze
    NOT_FOR_THIS_RUBY = 3 # status of a peer whose gem the bundle leaves out

    # Seconds for one request, on a busy machine.
    PATIENCE = 60

    # The peer gave no reading of a request.
    class Stuck < StandardError; end

    attr_reader :name #: String

    def initialize(name) #: (String) -> void
      @name = name
    end

    # Why it cannot be asked, if so.
    def missing #: () -> String?
      output, status = Open3.capture2e(*command, stdin_data: Marshal.dump([]))
      return if status.success?
      return "its gem is not for Ruby #{RUBY_VERSION}" if status.exitstatus == NOT_FOR_THIS_RUBY

      "its gem cannot be loaded (bin/differential installs it): #{output.lines.first}"
    end

    # What it makes of each request.
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
      return Marshal.load(io) if io.wait_readable(PATIENCE) # rubocop:disable Security/MarshalLoad -- our own child

      Process.kill(:KILL, io.pid)
      raise Stuck, "#{@name} does not come to an end with #{request.inspect}"
    rescue EOFError
      raise Stuck, "#{@name} ended at #{request.inspect}"
    end
  end
end
