# frozen_string_literal: true

require "coppice/memory/rollup"

module Coppice
  # The memory that one process uses and shares, in KiB, as of the last `update`: for an application's own metrics.
  # Reads /proc/PID/smaps_rollup, which takes some milliseconds for some hundred MiB: do not update it on each request.
  class MemInfo
    attr_reader :pid #: Integer | String

    # Of the calling process by default. Raises Errno::ENOENT or Errno::ESRCH when there is no such process,
    # Errno::EACCES when it is another user's.
    #: (?(Integer | String)) -> void
    def initialize(pid = Process.pid)
      @pid = pid
      update
    end

    def update #: () -> self
      @rollup = Memory::Rollup.of(@pid)
      self
    end

    # Resident memory, including all shared memory.
    #: () -> Integer
    def rss = @rollup.rss

    # Resident memory, each shared page divided by the number of processes that share it.
    #: () -> Integer
    def pss = @rollup.pss

    # Memory that no other process shares: USS.
    #: () -> Integer
    def private_memory = @rollup.private

    #: () -> Integer
    def shared_memory = @rollup.shared

    #: () -> Integer
    def swap = @rollup.swap

    # This process's shared memory, in percent of the resident memory of the process that it was forked from.
    #: (MemInfo) -> Float
    def cow_efficiency(parent) = percent(shared_memory, parent.rss)

    # This process's shared memory, in percent of its own resident memory.
    #: () -> Float
    def shared_percent = percent(shared_memory, rss)

    private

    def percent(part, whole) = whole.zero? ? 0.0 : 100.0 * part / whole
  end
end
