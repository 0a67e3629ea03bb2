# frozen_string_literal: true

require "coppice/os/proc_folder"
require "coppice/os/process_stat"

module Coppice
  module Doctor
    # The children of this process, among them the processes that it has adopted as a subreaper.
    module Orphans
      # Kills and reaps all of them, and those that they leave behind.
      #: () -> void
      def self.kill
        until (pids = children).empty?
          pids.each do |pid|
            Process.kill(:KILL, pid)
            Process.wait(pid)
          rescue Errno::ESRCH, Errno::ECHILD
            next # it has ended
          end
        end
      end

      #: () -> Array[Integer]
      def self.children
        OS::ProcFolder.pids.select { |pid| OS::ProcessStat.of(pid)&.parent == Process.pid }
      end
    end
  end
end
