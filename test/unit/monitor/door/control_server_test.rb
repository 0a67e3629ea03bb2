# frozen_string_literal: true

require "test_helper"
require "socket"
require "coppice/config/settings"
require "coppice/monitor/door/control_server"

module Coppice
  class Monitor
    class ControlServerTest < TestCase
      test "a path in use is named with its option" do
        with_tmpdir do |folder|
          other = UNIXServer.new("#{folder}/control")
          settings = Config::Settings.new(values: { control_socket: "#{folder}/control" })
          error = Kernel.stub(:sleep, nil) { assert_raises(AddressInUse) { ControlServer.bind(settings, nil) } }

          assert_match(/it is in use by pid #{Process.pid} .* with control_socket\z/, error.message)
        ensure
          other&.close
        end
      end
    end
  end
end
