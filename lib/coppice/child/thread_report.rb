# frozen_string_literal: true

require "coppice/errors"
require "coppice/log/text"
require "coppice/os/clock"

module Coppice
  module Child
    # What all threads of a process are doing, as a text for people: `coppice backtrace`. On a helper thread of
    # workers and services, so that what they do is not disturbed; of other processes on the main thread.
    class ThreadReport
      #: (Membership) -> void
      def initialize(membership)
        @membership = membership
        @row = membership.row
      end

      # Writes to the descriptor that came with the question, and closes it. Never waits: what does not fit into the
      # pipe is cut off.
      #: (Control::Channel::Packet) -> void
      def write_to(packet)
        packet.descriptors[:output].write_nonblock(text << "\n", exception: false)
      rescue SystemCallError, IOError
        nil # nobody waits for it any more
      ensure
        packet.close
      end

      private

      # The application may have classes of threads of its own. A question must not end the process that it is about.
      def text
        threads = Thread.list.reject { |thread| thread.equal?(Thread.current) && !thread.equal?(Thread.main) }
        [heading, request, *threads.flat_map { |thread| ["", *lines_of(thread)] }].join("\n")
      rescue UserCodeError => error
        Log::Text.valid("no backtrace: #{error.message} (#{error.class})")
      end

      def heading = "#{@membership.name}, process #{Process.pid}, #{Thread.list.size} threads"

      def request
        started_ms = @row.started_ms
        return "no request in flight" if started_ms.zero?

        "request in flight for #{((OS::Clock.now_ms - started_ms) / 1000.0).round(1)} s: #{Log::Text.valid(@row.request)}"
      end

      def lines_of(thread)
        own = Log::Text.valid(__FILE__) # the frames of the report itself
        frames = Log::Text.frames(thread.backtrace).drop_while { |frame| frame.start_with?(own) }
        ["#{name_of(thread)} (#{thread.status || 'dead'})", *frames.map { |frame| "  #{frame}" }]
      end

      def name_of(thread)
        return "main thread" if thread.equal?(Thread.main)

        "thread #{Log::Text.valid(thread.name || thread.inspect.b[/0x\h+/])}"
      end
    end
  end
end
