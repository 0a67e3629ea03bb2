# frozen_string_literal: true

module Coppice
  module Cold
    # Measures elapsed time and CPU time.
    class Stopwatch
      # Both in milliseconds.
      Time = Struct.new(:wall_ms, :cpu_ms, keyword_init: true)

      # Returns the block's answer, and the Time.
      #: [T] () { () -> T } -> [T, Time]
      def self.measure
        wall, cpu = wall_ms, cpu_ms
        answer = yield
        [answer, Time.new(wall_ms: (wall_ms - wall).round(1), cpu_ms: (cpu_ms - cpu).round(1))]
      end

      def self.wall_ms = Process.clock_gettime(Process::CLOCK_MONOTONIC, :float_millisecond)
      def self.cpu_ms = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :float_millisecond)
      private_class_method :wall_ms, :cpu_ms
    end
  end
end
