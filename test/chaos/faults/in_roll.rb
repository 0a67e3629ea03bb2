# frozen_string_literal: true

require_relative "../releases"

module Chaos
  module Faults
    # A roll to a release that is good or broken, a rollback, or USR1, which rolls to the release that the server began
    # with. Mostly a process is killed meanwhile: the new release's mold, its first worker before the commit, the mold
    # that serves, or the one that is kept for a rollback.
    class InRoll
      ORDERS = [*Releases::GOOD, *Releases::GOOD, *Releases::BROKEN, :rollback, :rollback, :USR1].freeze
      VICTIMS = [nil, :candidate, :trial, :old_mold, :kept].freeze
      # Seconds until the order is taken, or refused, and its process is there.
      PATIENCE = 10
      private_constant :ORDERS, :VICTIMS

      #: (Random) -> InRoll
      def self.draw(random)
        new(ORDERS.sample(random: random), VICTIMS.sample(random: random), %i[KILL KILL SEGV].sample(random: random))
      end

      #: (String | Symbol, Symbol?, Symbol) -> void
      def initialize(order, victim, name)
        @order = order
        @victim = victim
        @name = name
      end

      #: () -> String
      def to_s
        order = @order.is_a?(Symbol) ? @order : "a roll to #{@order}"
        @victim ? "#{@name} to the #{@victim.to_s.tr('_', ' ')} in #{order}" : order.to_s
      end

      # Whether clients may get status 500.
      #: () -> bool
      def fails? = @order == Releases::FAILS

      # Without a victim it returns as soon as there is something to see, so that the next fault comes in the middle.
      #: (Target) -> bool
      def inject(target)
        command = order(target)
        return begun?(target, command) unless @victim

        row = target.wait(PATIENCE) { found(target, @victim) || (:none unless command.alive?) }
        row.respond_to?(:pid) && target.hit(@name, row.pid, Signalled::OUTCOMES.fetch(@name), self)
      end

      private

      # A thread that lives as long as the command. A signal has none: the kernel keeps it.
      def order(target)
        case @order
        when :USR1 then target.signal(:USR1, target.monitor) && Thread.new { target.pause(PATIENCE) }
        when :rollback then target.server.coppice("rollback")
        else target.server.coppice("roll", target.server.path(@order))
        end
      end

      def begun?(target, command)
        target.wait(PATIENCE) { found(target, :candidate) || !command.alive? }
        true
      end

      def found(target, which)
        board = target.server.board
        case which
        when :candidate then later(target, board, :mold)
        when :trial then later(target, board, :worker)
        when :old_mold then current_mold(target, board) if later(target, board, :mold)
        else target.server.kept_mold
        end
      end

      def later(target, board, role)
        target.server.rows(role).find { |row| row.generation > board.generation && other?(row, board) }
      end

      def current_mold(target, board) = target.server.rows(:mold).find { |row| !other?(row, board) }

      def other?(row, board) = row.release_number != board.release_number
    end
  end
end
