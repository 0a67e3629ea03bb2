# frozen_string_literal: true

require "coppice/os/cgroup"

module Coppice
  module Memory
    # How much time processes lose because memory is short: they wait for swap, for pages of files that were given up,
    # or until others have given some up. Source: the kernel's PSI document.
    class MemoryPressure
      MACHINE = "/proc/pressure/memory"

      #: (?cgroup: OS::Cgroup, ?machine: String) -> void
      def initialize(cgroup: OS::Cgroup.new("memory"), machine: MACHINE)
        @file = cgroup.files("memory.pressure").first || machine
      end

      # Per cent of the last ten seconds in which some process of the server's cgroup, or of the machine, waited; 0
      # where the kernel does not tell.
      #: () -> Float
      def percent
        File.read(@file)[/^some avg10=([\d.]+)/, 1].to_f
      rescue SystemCallError
        0.0
      end
    end
  end
end
