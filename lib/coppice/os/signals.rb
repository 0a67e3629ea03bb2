# frozen_string_literal: true

module Coppice
  module OS
    # Signal handlers of one process. A fork inherits its parent's, so each life
    # begins by putting its own in their place.
    module Signals
      # Those that are meant for the monitor and would end any other process: a
      # `pkill -USR2 coppice` reaches the whole family.
      FOR_THE_MONITOR = [:USR1, :USR2, :TTIN, :TTOU, :WINCH, :HUP].freeze

      # Sets these handlers, and ignores what is meant for the monitor unless the
      # application has a handler of its own.
      #: (Hash[Symbol, ^() -> void]) -> void
      def self.install(handlers)
        handlers.each { |name, handler| handle(name, handler) }
        (FOR_THE_MONITOR - handlers.keys).each { |name| ignore(name) }
      end

      # For a child: yields TERM and QUIT to the block, which only notes or reports them; INT exits at once.
      #: () { (Symbol) -> void } -> void
      def self.stop_by
        install(INT: -> { exit!(0) }, TERM: -> { yield :TERM }, QUIT: -> { yield :QUIT })
        ignore(:XFSZ) # a file that is too large for its limit is an error of that write, not the end of the process
      end

      # Under nohup(1) HUP stays ignored.
      def self.handle(name, handler)
        previous = trap(name) { handler.call }
        trap(name, previous) if name == :HUP && previous == "IGNORE"
      end
      private_class_method :handle

      def self.ignore(name)
        previous = trap(name) { nil } # a handler, since "IGNORE" would be inherited through exec
        trap(name, previous) if previous.is_a?(Proc)
      end
      private_class_method :ignore
    end
  end
end
