# frozen_string_literal: true

require "test_helper"
require "coppice/listeners/set"
require "coppice/monitor/kernel/serving_port"

module Coppice
  class Monitor
    class ServingPortTest < TestCase
      def bind(*options)
        addresses = options.map { |own| Listeners::Address.parse("127.0.0.1:0", own) }
        @port = ServingPort.new(Listeners::Set.bind(addresses, environment: {}), self)
      end

      def teardown = @port.close

      # In the place of the log.
      def info(message, **fields) = @line = [message, fields]

      test "the log names the listeners with the options that are not the default" do
        bind({ lobby: false, backlog: 5 }, {})
        @port.open

        first, second = @port.names
        assert_equal ["listening", { on: "#{first} (lobby: false, backlog: 5) #{second}" }], @line
      end

      test "the options of listeners are known by the sockets that workers get" do
        bind({ lobby: false, scheme: :https }, { lobby: false })
        options = @port.listener_options
        sockets = @port.listeners_for(0, workers: 1)

        assert_equal [true, false], sockets.map { |socket| options.fetch(socket.stat.ino)[:https] }
        assert_equal 2, options.size
      end
    end
  end
end
