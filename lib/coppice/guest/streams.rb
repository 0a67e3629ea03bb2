# frozen_string_literal: true

module Coppice
  class Guest
    # The standard streams of a guest: its client's own, or a terminal made for it.
    class Streams
      CONTROLLING_TERMINAL = 0x540E # the ioctl TIOCSCTTY, as Linux numbers it on most processors

      #: (IO, IO, IO) -> void
      def initialize(stdin, stdout, stderr)
        @streams = { STDIN => stdin, STDOUT => stdout, STDERR => stderr }
      end

      # Replaces those of this process. terminal: whether to make the one that is a terminal the controlling terminal of
      # the guest's session, so that Ctrl-C becomes a signal.
      #: (terminal: bool) -> void
      def take(terminal:)
        @streams.each { |standard, given| replace(standard, given) }
        $stdin, $stdout, $stderr = STDIN, STDOUT, STDERR
        @streams.each_key.find(&:tty?)&.ioctl(CONTROLLING_TERMINAL, 0) if terminal
      end

      private

      # A terminal shows each line at once; a pipe or file is buffered, as in any Ruby.
      def replace(standard, given)
        standard.reopen(given)
      rescue ArgumentError # it cannot be read, or written to
        standard.reopen(File::NULL, standard.fileno.zero? ? "r" : "w")
      ensure
        given.close
        standard.sync = standard.fileno == STDERR.fileno || standard.tty? unless standard.fileno.zero?
      end
    end
  end
end
