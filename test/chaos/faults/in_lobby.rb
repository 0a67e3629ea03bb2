# frozen_string_literal: true

module Chaos
  module Faults
    # A fault of the lobby: its loop, its keeper or both are killed, its loop is stopped for a while or for good, or
    # somebody sends it a signal that it must ignore. Hits nothing where there is no lobby.
    class InLobby
      #: (Random) -> InLobby
      def self.draw(random)
        new(%i[loop loop loop crash keeper both paused stopped asked].sample(random: random),
          random.rand(0.1..1.0).round(2))
      end

      #: (Symbol, Float) -> void
      def initialize(what, seconds)
        @what = what
        @seconds = seconds
      end

      #: () -> String
      def to_s = "the lobby: #{@what}"

      # Not while one part has still to die of an earlier fault: the connections would be lost with the other one.
      #: (Target) -> bool
      def inject(target)
        parts = target.server.parts_of_lobby
        return false unless parts.size == 2 && parts.values.none? { |pid| target.victims[pid]&.certain }

        case @what
        when :loop then kill(target, parts[Server::LOOP], :KILL)
        when :crash then kill(target, parts[Server::LOOP], :SEGV)
        when :keeper then target.hit(:KILL, parts[Server::KEEPER], :kill_keeper, self)
        when :both then kill_both(target, parts)
        when :paused then pause(target, parts[Server::LOOP])
        when :stopped then target.hit(:STOP, parts[Server::LOOP], :stop_loop, self)
        else %i[TERM QUIT INT HUP].each { |name| parts.each_value { |pid| target.hit(name, pid, :ignore, self) } }
        end
      end

      private

      def kill(target, pid, name) = target.hit(name, pid, :kill_loop, self)

      # Stopped, neither can replace the other.
      def kill_both(target, parts)
        parts.each_value { |pid| target.hit(:STOP, pid, :kill_lobby, self) }
        parts.each_value { |pid| target.signal(:KILL, pid) }
        true
      end

      def pause(target, pid)
        return false unless target.hit(:STOP, pid, :freeze_loop, self)

        target.pause(@seconds)
        target.signal(:CONT, pid)
      end
    end
  end
end
