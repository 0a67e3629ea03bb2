# frozen_string_literal: true

require "coppice/coppice_ext"

module Coppice
  module OS
    # What worker processes need of the system, and what a sandbox (a seccomp filter, gVisor) may deny on Linux as well.
    module Requirements
      # Why there can be no worker processes; nil when there can. Makes a system call to find out.
      #: () -> String?
      def self.obstacle
        IO.for_fd(OS.memory_file("coppice-probe")).close
        nil
      rescue SystemCallError => error
        "worker processes share memory by memfd_create(2), which this system refuses (#{error.message})"
      end
    end
  end
end
