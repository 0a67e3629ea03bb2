# frozen_string_literal: true

module Coppice
  class Monitor
    # How far the server's stop has come. Times are monotonic seconds, nil until the server was told to stop.
    class Stop
      attr_accessor :how            #: Symbol? -- :gracefully or :at_once
      attr_accessor :delayed_until  #: Float? -- until then it serves in any case
      attr_reader :exits_begin_at   #: Float? -- until then it serves, if services are left
      attr_reader :deadline         #: Float?
      attr_reader :lobby_deadline   #: Float? -- from then on nobody waits for the lobby
      attr_reader :refusing_since   #: Float? -- when it began to refuse new connections
      attr_reader :connecting       #: Integer -- clients that had begun to connect before, and still do

      #: () -> void
      def initialize
        @connecting = 0
      end

      # Children exit from this time on. longest: seconds that they have. behind_lobby: those of them that workers need
      # when the lobby is gone.
      #: (Float, longest: Numeric, behind_lobby: Numeric) -> void
      def begin_exits_at(time, longest:, behind_lobby:)
        @exits_begin_at = time
        @deadline = time + longest
        @lobby_deadline = @deadline - behind_lobby
      end

      #: (Float, connecting: Integer) -> void
      def refuse_connections(now, connecting:)
        @refusing_since ||= now
        @connecting = connecting
      end

      # All of it, by so many seconds.
      #: (Float) -> void
      def postpone(seconds)
        return unless how

        @delayed_until += seconds
        @exits_begin_at += seconds
        @deadline += seconds
        @lobby_deadline += seconds
        @refusing_since &&= @refusing_since + seconds
      end

      # What the monitor must not sleep beyond.
      #: () -> Array[Float]
      def times = [exits_begin_at, deadline, lobby_deadline].compact
    end
  end
end
