# frozen_string_literal: true

module Chaos
  module Faults
    # A resource is exhausted for a while: file descriptors of one process, or disk space of all workers. Sets soft
    # limits with prlimit(1), which every user may do for their own processes.
    class ResourceLimit
      UPLOAD = "x" * 300_000 # bytes: more than a worker keeps in memory
      SMALL_FILE = 4096 # bytes

      #: (Random) -> ResourceLimit
      def self.draw(random)
        new(%i[monitor mold worker files].sample(random: random), random.rand(0.2..1.2).round(2), random.rand)
      end

      #: (Symbol, Float, Float) -> void
      def initialize(what, seconds, share)
        @what = what
        @seconds = seconds
        @share = share
      end

      #: () -> String
      def to_s = @what == :files ? "no room for files" : "no descriptors for the #{@what}"

      #: (Target) -> bool
      def inject(target)
        @what == :files ? without_room(target) : without_descriptors(target)
      end

      private

      def without_descriptors(target)
        pid = @what == :monitor ? target.monitor : target.pick(@what, @share)
        return false unless pid && limit(pid, :nofile, descriptors(pid))

        target.victims.add(pid, :starve, self) unless @what == :monitor
        use_descriptors(target)
        target.pause(@seconds)
        restore(target, :nofile, Process.getrlimit(:NOFILE).first)
        true
      end

      # The monitor and the mold need descriptors for a worker's successor. A worker needs one for each client.
      def use_descriptors(target)
        pid = target.pick(:worker, 1 - @share) unless @what == :worker
        target.hit(:KILL, pid, :kill, self) if pid
      end

      def without_room(target)
        target.server.rows(:worker).each { |row| limit(row.pid, :fsize, SMALL_FILE) }
        3.times { target.client.ask("upload", body: UPLOAD) }
        restore(target, :fsize, "unlimited")
        true
      end

      # Also for processes that were forked meanwhile from a limited one. One that changes its parent between the reads
      # of two lists of children is found by the next look.
      def restore(target, resource, value)
        restored = []
        unchanged = 0
        until unchanged == 2
          forked = tree(target.server, target.monitor) - restored
          forked.each { |pid| limit(pid, resource, value) }
          restored.concat(forked)
          unchanged = forked.empty? ? unchanged + 1 : 0
        end
      end

      def tree(server, pid) = [pid, *server.children(pid).flat_map { |child| tree(server, child) }]

      def limit(pid, resource, value)
        system("prlimit", "--pid", pid.to_s, "--#{resource}=#{value}:", err: File::NULL)
      end

      # The lowest free descriptor number. Descriptors above it stay open.
      def descriptors(pid)
        open = Dir.children("/proc/#{pid}/fd").map(&:to_i)
        (0..).find { |number| !open.include?(number) }
      rescue Errno::ENOENT
        0
      end
    end
  end
end
