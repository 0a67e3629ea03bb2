# frozen_string_literal: true

module Chaos
  module Faults
    # The system gives no more of something for a while: descriptors to one process, room for files to all
    # workers. Soft limits, by prlimit(1): every user may do that to processes of his own.
    class Starved
      UPLOAD = "x" * 300_000 # more than is kept in memory
      NO_ROOM = 4096

      #: (Random) -> Starved
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

      #: (Field) -> bool
      def inject(field)
        @what == :files ? without_room(field) : without_descriptors(field)
      end

      private

      def without_descriptors(field)
        pid = @what == :monitor ? field.monitor : field.someone(@what, @share)
        return false unless pid && limit(pid, :nofile, descriptors(pid))

        field.victims.add(pid, :starve, self) unless @what == :monitor
        need_some(field)
        field.pause(@seconds)
        restore(field, :nofile, Process.getrlimit(:NOFILE).first)
        true
      end

      # Monitor and mold need some for a worker's successor; a worker does for each client.
      def need_some(field)
        pid = field.someone(:worker, 1 - @share) unless @what == :worker
        field.hit(:KILL, pid, :kill, self) if pid
      end

      def without_room(field)
        field.server.rows(:worker).each { |row| limit(row.pid, :fsize, NO_ROOM) }
        3.times { field.client.ask("upload", body: UPLOAD) }
        restore(field, :fsize, "unlimited")
        true
      end

      # Also for those that were forked meanwhile from one that had the limit.
      def restore(field, resource, value)
        field.server.family.each { |pid| limit(pid, resource, value) }
      end

      def limit(pid, resource, value)
        system("prlimit", "--pid", pid.to_s, "--#{resource}=#{value}:", err: File::NULL)
      end

      # The lowest number that is free: what is open beyond it stays so.
      def descriptors(pid)
        open = Dir.children("/proc/#{pid}/fd").map(&:to_i)
        (0..).find { |number| !open.include?(number) }
      rescue Errno::ENOENT
        0
      end
    end
  end
end
