# frozen_string_literal: true

require "coppice/bare_ruby"
require "coppice/control/channel"
require "coppice/control/lobby_channel"
require "coppice/memory/available_memory"
require "coppice/memory/memory_pressure"
require "coppice/monitor/kernel/oom_counter"
require "coppice/os/clock"
require "coppice/os/descriptor_limit"
require "coppice/os/proc_folder"
require "coppice/os/process_stat"
require "coppice/os/processor_demand"
require "coppice/os/processors"

module Coppice
  class Monitor
    # The monitor's system calls, so that tests can replace them and play thousands of histories without a process.
    class System
      # What the monitor itself needs: it keeps five for each of the workers that there may be (CLI::Warnings).
      OWN_DESCRIPTORS = 8192

      def initialize
        @descriptor_limits = Process.getrlimit(:NOFILE)
        @oom_counter = OomCounter.new
        @available_memory = Memory::AvailableMemory.new
        @memory_pressure = Memory::MemoryPressure.new
      end

      # Raises the monitor's own limit of descriptors. Its children get the one that the user has set: programs may rely
      # on a low one, such as those that call select(2).
      #: () -> System
      def raise_descriptor_limit
        OS::DescriptorLimit.raise_to(OWN_DESCRIPTORS)
        self
      end

      #: () -> Float
      def now = OS::Clock.now

      # Unix time in milliseconds.
      #: () -> Integer
      def unix_ms = Process.clock_gettime(Process::CLOCK_REALTIME, :millisecond)

      # The monitor's end and the child's.
      #: () -> [Control::Channel, Control::Channel]
      def channel_pair = Control::Channel.pair

      # Spawns a Ruby that boots a release, with these variables added to its environment; returns its pid.
      #: (Control::Channel, Release, added: Hash[String, String]) -> Integer
      def spawn_mold(channel, release, added:)
        spawn([release.environment.merge(added), release.ruby, release.executable, "mold"], channel,
          own_group: release.settings.setpgid, unsetenv_others: true, chdir: release.directory)
      end

      # The most memory that a process had so far, in KiB; nil when it has exited.
      #: (Integer) -> Integer?
      def peak_kib(pid)
        File.read("/proc/#{pid}/status")[/^VmHWM:\s+(\d+)/, 1]&.to_i
      rescue SystemCallError
        nil
      end

      # Spawns the Ruby of a release, without RubyGems, that becomes the observer; returns its pid.
      #: (Control::Channel, Release) -> Integer
      def spawn_observer(channel, release)
        spawn([BareRuby.variables(ENV), release.ruby, BareRuby::FLAGS, release.executable, "observer"], channel,
          own_group: release.settings.setpgid)
      end

      # As channel_pair, for the lobby.
      #: () -> [Control::LobbyChannel, Control::LobbyChannel]
      def lobby_channel_pair = Control::LobbyChannel.pair

      # Spawns the lobby's keeper with this limit of descriptors; returns its pid.
      #: (Control::LobbyChannel, executable: String, own_group: bool, descriptors: Integer) -> Integer
      def spawn_lobby(channel, executable:, own_group:, descriptors:)
        spawn([[executable, executable]], channel, own_group: own_group, rlimit_nofile: [descriptors, descriptor_limit])
      end

      # The largest number of descriptors that a process of ours may have.
      #: () -> Integer
      def descriptor_limit = @descriptor_limits.last

      # Sends a signal; false when there is no such process any more.
      #: (Integer, Symbol | Integer) -> bool
      def signal(pid, name)
        Process.kill(name, pid)
        true
      rescue Errno::ESRCH
        false
      rescue Errno::EPERM
        true # it runs as another user now
      end

      # Ends a process that nobody can tell to exit.
      #: (Integer) -> void
      def kill(pid) = signal(pid, :KILL)

      # Whether this process can never be reaped here: it is gone, because somebody else was told of its exit, or it is
      # a zombie of another parent.
      #: (Integer) -> bool
      def lost?(pid)
        return true unless signal(pid, 0)

        stat = OS::ProcessStat.of(pid)
        !stat.nil? && stat.zombie? && stat.parent != Process.pid
      end

      # Whether a process that was forked has become another program (exec).
      #: (Integer) -> bool
      def replaced?(pid) = OS::ProcessStat.of(pid)&.replaced? || false

      # A child that has exited and is not reaped, if it is one of those known: the kernel names the next one when that
      # one is reaped. As long as it names an unknown one, which may stay for a while, it names no other: then all
      # children that have exited are looked for. Orphans of our children are ours to reap as well. Where the kernel
      # does not list children, the first unknown one stands for all.
      #: (Hash[Integer, untyped]) -> Array[Integer]
      def exited_children(known)
        first, = OS.exited_child
        return [first].compact if first.nil? || known.key?(first)

        [first, *known.keys, *OS::ProcFolder.children].uniq.select { |pid| OS.exited_child(pid) }
      end

      # Reaps this child: its exit status, and the most memory it had in KiB. nil when it has not exited, or is no
      # child. Yields its CPU time in microseconds before that, while /proc still has it. group: whether what is left of
      # its process group is killed, as long as nobody else can have its number.
      #: (Integer, ?group: bool) ?{ (Integer) -> void } -> [Process::Status, Integer]?
      def reap(pid, group: false)
        kill(-pid) if group
        _, peak_kib, cpu_us = OS.exited_child(pid)
        return unless peak_kib

        yield cpu_us if block_given?
        [Process.wait2(pid).last, peak_kib]
      rescue Errno::ECHILD # a hook on the helper thread waits for any child, and was faster
        nil
      end

      # Whether the kernel has lately killed one more process of the server because memory ran out.
      #: () -> bool
      def out_of_memory? = @oom_counter.increased?

      # Must be called every few seconds, so that no older kill explains an exit.
      #: (Float) -> void
      def look_at_oom_kills(now) = @oom_counter.look(now)

      # Number of processors that all processes together may use.
      #: () -> (Integer | Rational)
      def processors = OS::Processors.new.count

      # Seconds, see OS::ProcessorDemand.
      #: (Integer) -> Float?
      def processor_demand(pid) = OS::ProcessorDemand.of(pid)

      # Seconds, see OS::ProcessorDemand.
      #: (Integer) -> Float
      def processor_wait(pid) = OS::ProcessorDemand.wait(pid)

      # The memory that all processes together may use, and what is left of it, in KiB.
      #: () -> Integer
      def memory_total_kib = @available_memory.total_kib

      #: () -> Integer
      def memory_left_kib = @available_memory.left_kib

      # As of Memory::MemoryPressure.
      #: () -> Float
      def memory_pressure = @memory_pressure.percent

      private

      # The process inherits one descriptor, the channel's, and has its number as the last argument. Where no process
      # is left, Process.spawn waits for one, and the monitor would reap none.
      def spawn(command, channel, own_group:, rlimit_nofile: @descriptor_limits, **options)
        OS.probe_fork
        descriptor = channel.fileno
        Process.spawn(*command, descriptor.to_s, descriptor => descriptor, pgroup: own_group || nil, close_others: true,
                                                 rlimit_nofile: rlimit_nofile, **options)
      end
    end
  end
end
