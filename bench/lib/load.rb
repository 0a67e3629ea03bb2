# frozen_string_literal: true

require "json"

module Bench
  # The result of one run of the load generator. The errors are counted by kind: "status" is an answer other than 200.
  # With `each: true` it has all latencies, in their order.
  LoadResult = Struct.new(:answered, :connections_kept, :seconds, :client_cpu_seconds, :p50_us, :p95_us, :p99_us,
    :max_us, :errors, :bodies, :latencies_us, keyword_init: true) do
    #: () -> bool whether the server kept a connection open after a response
    def kept_alive? = connections_kept.positive?

    #: () -> Float
    def requests_per_second = answered / seconds

    #: () -> Integer
    def error_count = errors.values.sum

    # "0", or the number of errors of each kind: "3 timeout, 1 reset".
    #: (Array[LoadResult]) -> String
    def self.errors_of(results)
      total = results.map(&:errors).inject { |sum, errors| sum.merge(errors) { |_, a, b| a + b } }
      found = total.select { |_, count| count.positive? }.map { |kind, count| "#{count} #{kind}" }
      found.empty? ? "0" : found.join(", ")
    end
  end

  # One run of bench/load/ against a port of this machine. `start` runs it in the background. `next_new_body` reports a
  # process that answers for the first time. `finish` waits for the end and returns the result.
  class Load
    TIMEOUT = 10 # seconds that a request may take
    SLACK = 5 # seconds in addition

    # Runs the load generator to its end.
    #: (Integer, **untyped) -> LoadResult
    def self.run(port, **options) = new(port, **options).start.finish

    # Takes the options of load.c in Ruby's spelling: clients: 8, keep_alive: true, header: ["A: b", "C: d"].
    def initialize(port, **options)
      @options = { seconds: 60, timeout: TIMEOUT }.merge(options)
      @command = [Setup::LOAD_BINARY, port.to_s, *@options.flat_map { |name, value| arguments(name, value) }]
    end

    #: () -> self
    def start
      @io = IO.popen(@command)
      @deadline = Bench.now + @options[:seconds] + @options[:timeout] + SLACK
      self
    end

    # The next body that was not seen before, with the monotonic time of its arrival. nil if no such body arrived
    # `within` that many seconds, or at the end of the run.
    #: (within: Numeric) -> [Float, String]?
    def next_new_body(within:)
      return unless @io.wait_readable([within, 0].max) # the generator writes whole lines

      line = @io.gets or return
      word, instant, text = line.split(" ", 3)
      return [instant.to_f, text.to_s.chomp] if word == "body"

      @summary = line
      nil
    end

    # Asks the load generator to finish early.
    def stop
      ProcessTree.signal(:TERM, @io.pid)
      self
    end

    #: () -> LoadResult
    def finish
      loop { break if @summary || !next_new_body(within: @deadline - Bench.now) }
      raise Failure, "the load generator printed no result within its time" unless @summary

      LoadResult.new(**JSON.parse(@summary).transform_keys(&:to_sym))
    ensure
      close
    end

    private

    def arguments(name, value)
      flag = "--#{name.to_s.tr("_", "-")}"
      case value
      when true then [flag]
      when false, nil then []
      else Array(value).flat_map { |one| [flag, one.to_s] }
      end
    end

    def close
      ProcessTree.signal(:KILL, @io.pid) unless @io.closed?
      @io.close
    end
  end
end
