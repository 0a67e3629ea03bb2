# frozen_string_literal: true

module Coppice
  module OS
    # Signal handlers of one process. A fork inherits its parent's, so each life
    # begins by putting its own in their place.
    module Signals
      NAMES = [:INT, :TERM, :QUIT, :USR1, :USR2, :TTIN, :TTOU, :WINCH, :HUP].freeze

      # Handlers by name; every other signal that somebody might have trapped in
      # this family of processes is ignored rather than left to end a process.
      #: (Hash[Symbol, ^() -> void]) -> void
      def self.install(handlers)
        NAMES.each do |name|
          handler = handlers[name]
          trap(name, handler ? ->(_) { handler.call } : "IGNORE")
        end
        trap(:CHLD, "DEFAULT") unless handlers[:CHLD]
        trap(:CHLD) { handlers[:CHLD].call } if handlers[:CHLD]
      end
    end
  end
end
