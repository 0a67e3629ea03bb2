# frozen_string_literal: true

require "coppice/errors"

module Coppice
  module Top
    # Orders to the monitor, each on a thread of its own: a refork may take a minute, and the view goes on meanwhile.
    # Owns a pipe that becomes readable when an answer has come.
    class Orders
      # lines: what the monitor has answered; error: why it has not.
      Answer = Struct.new(:words, :lines, :error, keyword_init: true)

      attr_reader :ready #: IO

      # client: returns `call(verb, *words)` with lines, or raises Error.
      #: (untyped) -> void
      def initialize(client)
        @client = client
        @answers = Thread::Queue.new
        @ready, @notice = IO.pipe
      end

      # Sends the order.
      #: (Array[String]) -> void
      def start(words)
        Thread.new do
          @answers << answer(words)
          @notice.write_nonblock(".", exception: false)
        end
      end

      # The answers that have come since.
      #: () -> Array[Answer]
      def answers
        @ready.read_nonblock(1024, exception: false)
        Array.new(@answers.size) { @answers.pop }
      end

      # What is under way goes on in the monitor.
      #: () -> void
      def close = [@ready, @notice].each(&:close)

      private

      def answer(words)
        Answer.new(words: words, lines: @client.call(*words))
      rescue Error, SystemCallError => error
        Answer.new(words: words, lines: [], error: error.message)
      end
    end
  end
end
