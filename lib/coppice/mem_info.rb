# frozen_string_literal: true

require "coppice/memory/smaps"

module Coppice
  # How much memory one process uses and shares, in KiB, as of its last update: for an application's own metrics. Reads
  # /proc/PID/smaps_rollup, some milliseconds for some hundred MiB: not for each request.
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

    # Resident memory, all of what is shared included.
    #: () -> Integer
    def rss = @rollup.rss

    # Resident memory, each shared page divided by the number of processes that share it.
    #: () -> Integer
    def pss = @rollup.pss

    # What no other process shares: USS.
    #: () -> Integer
    def private_memory = @rollup.private

    #: () -> Integer
    def shared_memory = @rollup.shared

    #: () -> Integer
    def swap = @rollup.swap

    # The part of another process's resident memory that this one could share and does, in percent.
    #: (MemInfo) -> Float
    def cow_efficiency(parent) = percent(shared_memory, parent.rss)

    # The part of its own resident memory that it shares, in percent.
    #: () -> Float
    def shared_percent = percent(shared_memory, rss)

    private

    def percent(part, whole) = whole.zero? ? 0.0 : 100.0 * part / whole
  end
end
