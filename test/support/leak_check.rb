# frozen_string_literal: true

require_relative "child_processes"

module Coppice
  # Fails a test file that leaves a child process or an open descriptor behind. Runs once, after its last test.
  class LeakCheck
    DESCRIPTORS = "/proc/self/fd"

    def self.watch #: () -> void
      check = new
      Minitest.after_run { check.verify }
    end

    def initialize
      Thread.new {}.join # newer Rubies open descriptors of their own for the first thread
      @before = open_descriptors
    end

    # Ends the process with status 1 when a child process or a descriptor is left.
    def verify #: () -> void
      left = leaked_descriptors.map { |fd, target| "descriptor #{fd} (#{target})" }
      left += children.map { |pid| "child process #{pid}" }
      abort "LEAK: this file leaves #{left.join(', ')}" unless left.empty?
    end

    private

    def leaked_descriptors #: () -> Hash[String, String]
      open_descriptors.reject { |fd, target| @before[fd] == target }
    end

    # The number of each descriptor, and its target. The descriptor that listed the folder itself is closed by now.
    def open_descriptors #: () -> Hash[String, String]
      return {} unless File.directory?(DESCRIPTORS)

      Dir.children(DESCRIPTORS).each_with_object({}) do |fd, found|
        found[fd] = File.readlink("#{DESCRIPTORS}/#{fd}")
      rescue Errno::ENOENT
        next
      end
    end

    # All child processes, also those that have exited and were not reaped: a test waits for what it starts.
    def children #: () -> Array[Integer]
      found = []
      while (pid = Process.wait(-1, Process::WNOHANG))
        found << pid
      end
      found + ChildProcesses.of("self")
    rescue Errno::ECHILD
      found
    end
  end
end
