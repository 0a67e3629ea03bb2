# frozen_string_literal: true

module Coppice
  module OS
    # /proc, by which Linux tells about its processes. A sandbox may have none.
    module ProcFolder
      OF_THIS_PROCESS = "/proc/self"

      #: (?String) -> bool
      def self.exist?(folder = OF_THIS_PROCESS) = File.directory?(folder)

      # The pids of all processes, in ascending order. Raises SystemCallError without /proc.
      #: () -> Array[Integer]
      def self.pids = Dir.children("/proc").grep(/\A\d+\z/).map(&:to_i).sort

      # The pids of this process's children: each thread has those that it spawned, and one has the orphans. Source:
      # proc(5).
      #: () -> Array[Integer]
      def self.children
        Dir.glob("#{OF_THIS_PROCESS}/task/*/children").flat_map { |file| File.read(file).split.map(&:to_i) }
      rescue SystemCallError # a thread ended meanwhile: the next look finds the rest
        []
      end
    end
  end
end
