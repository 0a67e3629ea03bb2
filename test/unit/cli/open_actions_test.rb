# frozen_string_literal: true

require "test_helper"
require "coppice/cli/open_actions"
require "coppice/config/settings"
require "coppice/listeners/address"

module Coppice
  class CLI
    class OpenActionsTest < TestCase
      test "actions at a port without a token are warned of, with the address" do
        assert_equal "admin_actions without admin_token lets every user of this machine act on the server at " \
                     "127.0.0.1:9293: set admin_token, or let admin_listen be a Unix socket", warning("127.0.0.1:9293")
        assert warning("/run/admin.sock", "[::1]:9293")
      end

      test "nothing is said with a token, without actions, at a Unix socket, nor where nothing listens" do
        assert_nil warning("127.0.0.1:9293", admin_token: "a long enough token")
        assert_nil warning("127.0.0.1:9293", admin_actions: false)
        assert_nil warning("/run/admin.sock")
        assert_nil OpenActions.new(Config::Settings.new(values: { admin_actions: true })).warning
      end

      private

      def warning(*addresses, **values)
        listen = addresses.map { |address| Listeners::Address.parse(address) }
        OpenActions.new(Config::Settings.new(values: { admin_listen: listen, admin_actions: true, **values })).warning
      end
    end
  end
end
