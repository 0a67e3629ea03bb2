# frozen_string_literal: true

require "test_helper"
require "coppice/listeners/set"
require "coppice/monitor/serving_port"

module Coppice
  class Monitor
    class ServingPortTest < TestCase
      def setup
        addresses = [{ lobby: false, backlog: 5 }, {}].map { |own| Listeners::Address.parse("127.0.0.1:0", own) }
        @port = ServingPort.new(Listeners::Set.bind(addresses, environment: {}), self)
      end

      def teardown = @port.close

      # In the place of the log.
      def info(message, **fields) = @line = [message, fields]

      test "the log names the listeners with the options that are not the default" do
        @port.open

        first, second = @port.names
        assert_equal ["listening", { on: "#{first} (lobby: false, backlog: 5) #{second}" }], @line
      end
    end
  end
end
