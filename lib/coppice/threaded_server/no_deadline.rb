# frozen_string_literal: true

module Coppice
  class ThreadedServer
    # env["coppice.timeout"] of a server without a request timeout.
    class NoDeadline
      #: (Numeric) -> nil
      def extend_deadline(_seconds) = nil

      #: (Numeric) -> void
      def call(_seconds) = nil

      #: (Integer) -> nil
      def postpone(_milliseconds) = nil

      #: () -> Float
      def deadline = Float::INFINITY
    end
  end
end
