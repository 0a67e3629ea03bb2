# frozen_string_literal: true

require "open3"
require "test_helper"
require_relative "../../support/documentation"

module Coppice
  # What docs/deploys.md shows, and what lies in examples/deploys. test/integration/socket_activation_test.rb starts one
  # server beside the other as the units do, and test/integration/capistrano_test.rb runs the task.
  class DeploysPageTest < TestCase
    PAGE = Documentation.new("deploys.md")
    EXAMPLES = File.expand_path("../../../examples", __dir__)

    # The name on the page => the file.
    UNITS = {
      "/etc/systemd/system/shop.socket" => "shop.socket",
      "/etc/systemd/system/shop-sockets.service: what the socket unit starts, so that it does not start an instance " \
      "that was stopped" => "shop-sockets.service"
    }.freeze
    ADDED = "/etc/systemd/system/shop@.service, beside the lines of docs/deployment.md"

    test "Capistrano's task is that of the page" do
      name = "lib/capistrano/tasks/coppice.rake"

      assert_includes File.read("#{EXAMPLES}/deploys/coppice.rake"), PAGE.block(name)
    end

    test "systemd accepts the units of two instances on the same sockets" do
      with_tmpdir do |folder|
        units = UNITS.map { |name, file| "#{folder}/#{file}".tap { |unit| File.write(unit, PAGE.block(name)) } }
        instance = "#{folder}/shop@1.service"
        lines = File.read("#{EXAMPLES}/systemd/shop@.service").sub("/usr/bin/bundle", "/usr/bin/env")
        File.write(instance, "#{lines}\n#{PAGE.block(ADDED)}")
        output, status = Open3.capture2e("systemd-analyze", "verify", "--man=no", *units, instance)

        assert_predicate status, :success?, output
        assert_empty output.lines.grep(/shop/)
      rescue Errno::ENOENT
        skip "there is no systemd-analyze"
      end
    end
  end
end
