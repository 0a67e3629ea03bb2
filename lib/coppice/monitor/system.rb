# frozen_string_literal: true

require "rbconfig"
require "coppice/control/channel"
require "coppice/executable"
require "coppice/memory/room"
require "coppice/monitor/oom_counter"
require "coppice/os/clock"

# Runs in the monitor.

module Coppice
  class Monitor
    # What the monitor asks of the operating system, and nothing else: so that all of
    # its bookkeeping can be driven through thousands of histories without a process.
    class System
      def initialize
        @oom_counter = OomCounter.new
        @room = Memory::Room.new
      end

      #: () -> Float
      def now = OS::Clock.now

      # Ours and theirs.
      #: () -> [Control::Channel, Control::Channel]
      def channel_pair = Control::Channel.pair

      # A fresh Ruby that boots the application, with more in its environment than we have; answers its pid. It inherits
      # one descriptor.
      #: (Control::Channel, own_group: bool, environment: Hash[String, String]) -> Integer
      def spawn_mold(channel, own_group:, environment:)
        Process.spawn(environment, RbConfig.ruby, EXECUTABLE, "mold", channel.fileno.to_s,
                      channel.fileno => channel.fileno, pgroup: own_group || nil, close_others: true)
      end

      # false when there is no such process any more.
      #: (Integer, Symbol | Integer) -> bool
      def signal(pid, name)
        Process.kill(name, pid)
        true
      rescue Errno::ESRCH
        false
      rescue Errno::EPERM
        true # it has become somebody else's; it is there
      end

      # A child that has ended, with the most memory it had in KiB, or nil. Orphans of our children are ours as well.
      #: () -> [Integer, Process::Status, Integer]?
      def reap
        pid, peak_kib = OS.next_exit
        [*Process.wait2(pid), peak_kib] if pid
      rescue Errno::ECHILD # a hook on the helper thread ran a program, and has waited for it in this instant
        retry
      end

      # Whether the kernel has ended somebody for want of memory since this was last asked.
      #: () -> bool
      def out_of_memory? = @oom_counter.moved?

      # The memory that all processes together may use, and what is left of it, in KiB.
      #: () -> Integer
      def memory_total_kib = @room.total_kib

      #: () -> Integer
      def memory_left_kib = @room.left_kib
    end
  end
end
