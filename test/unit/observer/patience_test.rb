# frozen_string_literal: true

require "test_helper"
require "coppice/observer"

module Coppice
  class Observer
    # The limits that the observer has for its own clients, by those that the server has for all.
    class PatienceTest < TestCase
      def settings(**values)
        wire = Config::Settings.new(values: values).to_wire
        Config::Settings.from_wire(Observer.allocate.send(:impatient, wire))
      end

      test "no timeout of the server makes the observer wait for longer" do
        timeouts = Observer::TIMEOUTS.each_with_index.to_h { |name, at| [name, [60, 5, 2][at]] }

        settings = settings(**timeouts)

        assert_equal([5, 5, 2], Observer::TIMEOUTS.map { |name| settings.public_send(name) })
      end

      test "a body has a slowest rate, whether or not the server has one" do
        rates = [nil, 1, 4096, 65_536].map { |rate| settings(client_min_rate: rate).client_min_rate }

        assert_equal [4096, 4096, 4096, 65_536], rates
      end

      test "a body is no larger than the form of a login, whether or not the server has a limit" do
        limits = [nil, 1_000_000, 100].map { |bytes| settings(max_body_bytes: bytes).max_body_bytes }

        assert_equal [4096, 4096, 100], limits
      end
    end
  end
end
