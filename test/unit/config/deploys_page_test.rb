# frozen_string_literal: true

require "test_helper"
require_relative "../../support/documentation"
require_relative "../../support/systemd_units"

module Coppice
  # What docs/deploys.md shows, and what lies in examples/deploys. test/integration/socket_activation_test.rb starts one
  # server beside the other as the units do, and test/integration/capistrano_test.rb runs the task.
  class DeploysPageTest < TestCase
    include SystemdUnits

    PAGE = Documentation.new("deploys.md")
    EXAMPLES = File.expand_path("../../../examples", __dir__)

    # The name on the page => the file.
    UNITS = {
      "/etc/systemd/system/shop.socket" => "shop.socket",
      "/etc/systemd/system/shop-sockets.service" => "shop-sockets.service"
    }.freeze
    ADDED = "/etc/systemd/system/shop@.service, beside the lines of docs/deployment.md"

    test "Capistrano's task is that of the page" do
      name = "lib/capistrano/tasks/coppice.rake"

      assert_includes File.read("#{EXAMPLES}/deploys/coppice.rake"), PAGE.block(name)
    end

    test "systemd accepts the units of two instances on the same sockets" do
      units = UNITS.to_h { |name, file| [file, PAGE.block(name)] }
      lines = File.read("#{EXAMPLES}/systemd/shop@.service")

      assert_units(units.merge("shop@1.service" => "#{lines}\n#{PAGE.block(ADDED)}"))
    end
  end
end
