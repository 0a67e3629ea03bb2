# frozen_string_literal: true

require "coppice/config/types/amounts"

module Coppice
  module Memory
    # Tells whether a process is over a limit of the user: its memory's or its age's. The limits of each process are up
    # to a tenth lower, by its pid, so that processes which were forked together do not reach them together.
    class ProcessLimits
      YOUNG = 60.0 # seconds
      SPREAD = 0.1
      GOLDEN_RATIO = 0.6180339887498949 # its multiples have evenly spread fractional parts, also for pids in a row

      # memory: as Config::Types::MemoryLimit keeps it. age: in seconds. nil: no limit.
      #: (memory: Hash[Symbol, Integer | String]?, age: Numeric?) -> void
      def initialize(memory:, age:)
        @memory = memory
        @age = age
      end

      # Whether there is one.
      #: () -> bool
      def any? = !(@memory || @age).nil?

      # The part of each limit that holds for this process.
      #: (Integer) -> Float
      def part(pid) = 1 - (SPREAD * ((pid * GOLDEN_RATIO) % 1))

      # The memory by which the process is over its limit, as fields of a log line; nil when it is not. total_kib: what
      # a share refers to. sizes: its :pss and its :private KiB. Both are nil when unknown.
      #: (Integer, Integer?, (Hash[Symbol, Integer] | Rollup)?) -> Hash[Symbol, untyped]?
      def memory_excess(pid, total_kib, sizes)
        return if @memory.nil? || sizes.nil?

        limit = Config::Types::MemoryLimit.kib(@memory, total_kib) or return
        kind = @memory.keys.first
        kib = sizes[kind]
        { why: :memory, kind: kind, mib: kib / 1024, limit_mib: limit / 1024 } if kib > limit * part(pid)
      end

      # The same for its age in seconds.
      #: (Integer, Float) -> Hash[Symbol, untyped]?
      def age_excess(pid, age)
        { why: :age, age: age.round, limit: @age } if @age && age >= @age * part(pid)
      end

      # Either of them, for a process of a service. Yields for the sizes. A young process may have any: with a limit
      # that each fork reaches, one would replace the other without an end.
      #: (Integer, Float, Integer?) { () -> (Hash[Symbol, Integer] | Rollup)? } -> Hash[Symbol, untyped]?
      def excess(pid, age, total_kib)
        age_excess(pid, age) || (memory_excess(pid, total_kib, yield) if @memory && age >= YOUNG)
      end
    end
  end
end
