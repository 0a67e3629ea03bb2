# frozen_string_literal: true

module Coppice
  module OS
    # Signal handlers of one process. A fork inherits those of its parent, so each life begins by replacing them.
    module Signals
      # Signals that would terminate or stop any process but the monitor, for which they are meant, or that one as well:
      # `pkill -USR2 coppice` reaches all processes of the server. Ruby has a handler for VTALRM, and profilers need
      # PROF. macOS has no PWR.
      WITHOUT_EFFECT = (%i[USR1 USR2 TTIN TTOU WINCH HUP ALRM IO PWR] & Signal.list.keys.map(&:to_sym)).freeze

      # And those of a child: Ctrl-Z stops the monitor, so that the user's shell goes on.
      WITHOUT_EFFECT_ON_CHILDREN = [*WITHOUT_EFFECT, :TSTP, :XFSZ].freeze

      # Signals that no process of the server leaves to the system.
      OF_PROGRAMS = [:INT, :TERM, :QUIT, *WITHOUT_EFFECT_ON_CHILDREN].freeze

      # Sets these handlers, and ignores the other signals that would have an effect, unless the application has a
      # handler of its own.
      #: (Hash[Symbol, ^() -> void]) -> void
      def self.install(handlers)
        handlers.each { |name, handler| handle(name, handler) }
        (WITHOUT_EFFECT - handlers.keys).each { |name| ignore(name) }
      end

      # For a child that has just begun, or boots the application: only INT, TERM and QUIT have an effect.
      #: () -> void
      def self.begin_child = WITHOUT_EFFECT_ON_CHILDREN.each { |name| ignore(name) }

      # For a child: yields TERM and QUIT to the block, which must only record or report them. INT exits at once.
      #: () { (Symbol) -> void } -> void
      def self.stop_by
        handle(:INT, -> { exit!(0) })
        %i[TERM QUIT].each { |name| handle(name, -> { yield name }) }
        begin_child
      end

      # From here on a write beyond the limit of file sizes (ulimit -f) raises Errno::EFBIG; the process goes on. A
      # program that it becomes, or spawns, has the default again.
      #: () -> void
      def self.outlive_file_size_limit = ignore(:XFSZ)

      # For a service, whose code may set handlers of its own: the first TERM or QUIT raises a SignalException in its
      # main thread, as without a handler. The next ones do nothing: what ends the work must not be interrupted, and
      # where TERM goes to every process of the server the monitor's own TERM follows it.
      #: () -> void
      def self.raise_stop_signals
        raised = false
        [:TERM, :QUIT].each do |name|
          trap(name) do
            next if raised

            raised = true
            raise SignalException, "SIG#{name}"
          end
        end
      end

      # For a guest whose program has not begun: what ends a program kills it at once, and no hook can rescue it.
      #: () -> void
      def self.die_by_all = OF_PROGRAMS.each { |name| trap(name, "SYSTEM_DEFAULT") }

      # After die_by_all: a program handles signals as if it had been started alone. Handlers that a hook has set stay.
      #: () -> void
      def self.reset
        OF_PROGRAMS.each do |name|
          previous = trap(name, "DEFAULT")
          trap(name, previous) if previous && previous != "SYSTEM_DEFAULT"
        end
      end

      # Under nohup(1) HUP stays ignored.
      def self.handle(name, handler)
        previous = trap(name) { handler.call }
        trap(name, previous) if name == :HUP && previous == "IGNORE"
      end
      private_class_method :handle

      # By a handler, since "IGNORE" would be inherited through exec. What was ignored before, as HUP under nohup(1),
      # stays so for the programs that the process starts.
      def self.ignore(name)
        previous = trap(name) { nil }
        trap(name, previous) if previous.is_a?(Proc) || previous == "IGNORE"
      end
      private_class_method :ignore
    end
  end
end
