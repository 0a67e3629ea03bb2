# frozen_string_literal: true

require "coppice/os/clock"
require "coppice/tools/top/keyboard"
require "coppice/tools/top/meter"
require "coppice/tools/top/orders"
require "coppice/tools/top/screen"
require "coppice/tools/top/state"
require "coppice/tools/top/view"

module Coppice
  module Top
    # The interactive view: waits for keys, signals, answers and the next look at the server, and draws.
    class Session
      ENDING = %i[INT TERM HUP QUIT].freeze
      MESSAGE_SECONDS = 15

      # source: returns the Hash of Coppice::Stats, or nil when the server is gone. interval: seconds between two looks.
      #: (source: ^() -> Hash[Symbol, untyped]?, orders: Orders, screen: Screen, keyboard: Keyboard,
      #    interval: Numeric) -> void
      def initialize(source:, orders:, screen:, keyboard:, interval:)
        @source = source
        @orders = orders
        @screen = screen
        @keyboard = keyboard
        @interval = interval
        @meter = Meter.new
        @state = State.new
      end

      # Until the user quits, the server is gone or a signal has come: returns :quit, :gone or the signal's name. The
      # terminal is as before then.
      #: () -> Symbol
      def run
        @signals, @signalled = IO.pipe
        before = (ENDING + %i[WINCH CONT]).to_h { |name| [name, trap(name) { @signalled.write_nonblock("#{name}\n") }] }
        @screen.open do
          look
          turn until @outcome
        end
        @outcome
      rescue Errno::EIO, Errno::EPIPE # the terminal is gone
        :HUP
      ensure
        before&.each { |name, handler| trap(name, handler || "DEFAULT") }
        [@signals, @signalled].each { |io| io&.close }
      end

      private

      def look
        stats = @source.call
        return @outcome = :gone unless stats

        @next_look = OS::Clock.now + @interval
        @state.message = nil if @message_until && OS::Clock.now > @message_until
        @reading = @meter.read(stats)
        draw
      end

      def turn
        pause = [@next_look - OS::Clock.now, 0].max
        ready, = IO.select([@keyboard.input, @signals, @orders.ready], nil, nil, pause)
        if ready
          take_signals if ready.include?(@signals)
          take_answers if ready.include?(@orders.ready)
          take_keys if ready.include?(@keyboard.input) && !@outcome
        end
        return if @outcome

        OS::Clock.now < @next_look ? draw : look
      end

      def take_signals
        @signals.read_nonblock(1024).split.map(&:to_sym).each do |name|
          case name
          when :WINCH then @screen.redraw
          when :CONT then @screen.enter # somebody else had the terminal meanwhile
          else @outcome = name
          end
        end
      end

      def take_keys
        keys = @keyboard.keys or return @outcome = :HUP
        keys.each do |key|
          case key
          when :redraw then @screen.redraw
          when :suspend then suspend
          else press(key)
          end
        end
      end

      def press(key)
        view = self.view
        order = @state.press(key, view.workers, page: view.page)
        return @outcome ||= :quit if order == :quit
        return unless order

        unless order.first == "backtrace"
          @state.message = "#{order.join(' ')}: waiting for the monitor"
          @message_until = nil
        end
        @orders.start(order)
      end

      def take_answers
        @orders.answers.each do |answer|
          text = answer.error || answer.lines.last || "done"
          if answer.words.first == "backtrace"
            @state.show_backtrace(answer.words.last, answer.error ? [text] : answer.lines)
          else
            announce("#{answer.words.join(' ')}: #{text}")
          end
        end
      end

      # The last word on an order, for some seconds.
      def announce(text)
        @state.message = text
        @message_until = OS::Clock.now + MESSAGE_SECONDS
      end

      # Ctrl-Z. The turn goes on when the process is continued, and draws before it takes the signal CONT.
      def suspend
        @screen.leave
        Process.kill(:STOP, Process.pid)
        @screen.enter
      end

      def view
        rows, columns = @screen.size
        View.new(@reading, @state, rows: rows, columns: columns)
      end

      def draw
        _, columns = @screen.size
        @screen.draw(view.lines, columns)
      end
    end
  end
end
