# frozen_string_literal: true

module Coppice
  module Import
    # What a hook does that relies on the old server's master: it starts processes there, or handles signals that are
    # sent to it. Only what is certain to be that.
    class HookHabits
      SERVICE = "nobody supervises the processes that it starts, and each fork may start them again: make each a " \
                "`service` (docs/services.md)"
      STARTERS = %i[fork spawn].freeze
      # Classes that start a process which is theirs to watch, such as Demon::Sidekiq and Daemons.
      DAEMON = /(?:\A|::|[a-z])D(?:e|ae)mons?(?:::|\z)/.freeze
      DAEMON_STARTERS = %i[start run run_proc call daemonize].freeze
      CONSTANTS = %i[CONST COLON2 COLON3].freeze
      private_constant :SERVICE, :STARTERS, :DAEMON, :DAEMON_STARTERS, :CONSTANTS

      #: (Array[Source::Node], Directive, Source) -> void
      def initialize(statements, directive, source)
        @nodes = statements.flat_map { |statement| statement.walk.to_a }
        @directive = directive
        @source = source
      end

      # For the report.
      #: () -> Array[String]
      def remarks = [*(SERVICE if @nodes.any? { |node| starts_process?(node) }), *signals]

      private

      def starts_process?(node)
        case node.type
        when :FCALL, :VCALL then own_call?(node.children.first, node)
        when :CALL
          receiver, name = node.children
          CONSTANTS.include?(receiver&.type) && started_by?(@source.of(receiver).delete_prefix("::"), name)
        end
      end

      def own_call?(name, node)
        return false if @source.methods.include?(name)

        STARTERS.include?(name) || (name == :system && node.texts.any? { |text| text.match?(/[^&]&\s*\z/) })
      end

      def started_by?(constant, name)
        return (STARTERS + [:daemon]).include?(name) if %w[Process Kernel].include?(constant)

        DAEMON.match?(constant) && DAEMON_STARTERS.include?(name)
      end

      # Before a fork the old master ran the hook. Its pid, to which signals are sent, is the monitor's here.
      def signals
        return [] unless @directive.target.to_sym == :before_fork

        names = @nodes.filter_map { |node| trapped(node) }.uniq
        return [] if names.empty?

        ["its handlers of #{names.join(', ')} get no signal that is sent to the server: that is the monitor, " \
         "which does not run this hook"]
      end

      # Of a call whose signal is written out.
      def trapped(node)
        receiver, name = node.type == :CALL ? node.children : [nil, node.children.first]
        return unless %i[FCALL CALL].include?(node.type) && name == :trap
        return unless receiver.nil? || %w[Signal Kernel].include?(@source.of(receiver))

        first = node.nodes.last&.nodes&.first
        first.children.first.to_s.delete_prefix("SIG") if first && %i[STR SYM LIT].include?(first.type)
      end
    end
  end
end
