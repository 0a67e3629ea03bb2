# frozen_string_literal: true

require "json"
require "socket"
require_relative "setup"

module Bench
  # An application in a folder of its own, with a file that says how to run it:
  #
  #   name, rackup, gemfile, paths, before_fork   as the options of these names; the files relative to the folder
  #   headers       of each request: ["Cookie: session=1"]
  #   environment   variables of its servers
  #   needs         what has to run for it, and where: { "Redis": "localhost:6379" }
  class PreparedApp
    FILE = "coppice-bench.json"

    #: (String) -> void
    def initialize(folder)
      @folder = File.expand_path(folder)
      path = File.join(@folder, FILE)
      raise Failure, "#{@folder} has no #{FILE}; bench/README.md says what prepares it" unless File.exist?(path)

      @facts = JSON.parse(File.read(path), symbolize_names: true)
    end

    # As LazyApps takes them. Raises Failure if something is missing that the application needs.
    #: () -> Hash[Symbol, untyped]
    def own_app
      @facts.fetch(:needs, {}).each { |name, address| reach(name, address) }
      @facts.slice(:name, :paths, :before_fork, :headers)
            .merge(rackup: path(@facts.fetch(:rackup)), gemfile: path(@facts.fetch(:gemfile)))
    end

    #: () -> Hash[String, String]
    def environment = @facts.fetch(:environment, {}).transform_keys(&:to_s)

    private

    def path(name) = File.expand_path(name, @folder)

    def reach(name, address)
      host, _, port = address.rpartition(":")
      TCPSocket.new(host, port.to_i, connect_timeout: 2).close
    rescue SystemCallError, SocketError, IOError => error
      raise Failure, "#{@facts[:name]} needs #{name} at #{address}: #{error.message}"
    end
  end
end
