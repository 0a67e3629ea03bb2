# frozen_string_literal: true

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
        packet.descriptors[:output]&.write_nonblock(lines.join("\n") << "\n", exception: false)
      rescue SystemCallError
        nil # nobody waits for it any more
      ensure
        packet.close
      end

      #: () -> Array[String]
      def lines
        threads = Thread.list.reject { |thread| thread.equal?(Thread.current) && !thread.equal?(Thread.main) }
        [heading, request, *threads.flat_map { |thread| ["", *lines_of(thread)] }].compact
      end

      private

      def heading = "#{@membership.name}, process #{Process.pid}, #{Thread.list.size} threads"

      def request
        started_ms = @row.started_ms
        return "no request in flight" if started_ms.zero?

        "request in flight for #{((OS::Clock.now_ms - started_ms) / 1000.0).round(1)} s: #{@row.request}"
      end

      def lines_of(thread)
        name = thread.equal?(Thread.main) ? "main thread" : "thread #{thread.name || thread.inspect[/0x\h+/]}"
        frames = thread.backtrace&.drop_while { |frame| frame.start_with?(__FILE__) } # of the report itself
        ["#{name} (#{thread.status || 'dead'})", *frames&.map { |frame| "  #{frame}" }]
      end
    end
  end
end
