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
        $stderr = replace(STDERR) # first: it shows what fails afterwards
        $stdout = replace(STDOUT)
        $stdin = replace(STDIN)
        [$stdin, $stdout, $stderr].find(&:tty?)&.ioctl(CONTROLLING_TERMINAL, 0) if terminal
      end

      private

      # Returns the stream to use. A terminal shows each line at once; a pipe or file is buffered, as in any Ruby.
      def replace(standard)
        stream = reopened(standard, @streams.fetch(standard))
        stream.sync = standard.equal?(STDERR) || stream.tty? unless standard.equal?(STDIN)
        stream
      end

      # What the application has closed cannot be opened again.
      def reopened(standard, given)
        return given if standard.closed?

        begin
          standard.reopen(given)
        rescue ArgumentError # it cannot be read, or written to
          standard.reopen(File::NULL, standard.equal?(STDIN) ? "r" : "w")
        ensure
          given.close
        end
      end
    end
  end
end
