# frozen_string_literal: true

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
        Dir.children("/proc").grep(/\A\d+\z/).map(&:to_i).select { |pid| parent_of(pid) == Process.pid }
      end

      # The field after the name, which may contain spaces and parentheses, and the state.
      def self.parent_of(pid)
        File.read("/proc/#{pid}/stat")[/.*\) \S (\d+)/m, 1].to_i
      rescue SystemCallError
        nil # it has ended
      end
      private_class_method :parent_of
    end
  end
end
