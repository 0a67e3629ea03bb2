# frozen_string_literal: true

require "net/http"
require_relative "spread"

module Bench
  # Requests one page again and again until each worker of the server has answered a few times, and records which worker
  # answered when. A client in Ruby, with a connection for each request, because the load generator reads no headers.
  class FirstRequests
    ENOUGH = 20 # answers of each worker
    MOST = 20 # times as many answers for each worker: one that never serves must not block the benchmark forever

    # Duration of one worker's first request, and the median of its later requests.
    Worker = Struct.new(:first_ms, :later_ms, keyword_init: true) do
      #: () -> Float
      def ratio = first_ms / later_ms
    end

    attr_reader :errors #: Integer

    # enough: answers of each worker.
    #: (Integer, path: String, workers: Integer, clients: Integer, ?known: Array[String?], ?enough: Integer) -> void
    def initialize(port, path:, workers:, clients:, known: [], enough: ENOUGH)
      @port = port
      @path = path
      @workers = workers
      @clients = clients
      @known = known # processes that answered before this measurement
      @enough = enough
      @times = Hash.new { |times, pid| times[pid] = [] }
      @errors = 0
      @mutex = Mutex.new
    end

    #: () -> self
    def run
      Array.new(@clients) { Thread.new { ask until enough? } }.each(&:join)
      self
    end

    # One for each worker that answered, except those that answered before this measurement.
    #: () -> Array[Worker]
    def found
      @times.except(*@known).values.select { |times| times.size > 1 }
            .map { |first, *later| Worker.new(first_ms: first, later_ms: Spread.new(later).median) }
    end

    private

    def ask
      began = Bench.now
      response = Net::HTTP.start("127.0.0.1", @port, read_timeout: 60) do |http|
        http.get(@path, "connection" => "close")
      end
      note(response, (Bench.now - began) * 1000)
    rescue SystemCallError, IOError, Timeout::Error
      @mutex.synchronize { @errors += 1 }
    end

    def note(response, elapsed_ms)
      @mutex.synchronize do
        response.is_a?(Net::HTTPOK) ? @times[response["x-process"]] << elapsed_ms : @errors += 1
      end
    end

    def enough?
      @mutex.synchronize do
        counts = @times.values.map(&:size)
        counts.count { |count| count >= @enough } >= @workers || counts.sum + @errors >= MOST * @enough * @workers
      end
    end
  end
end
