# frozen_string_literal: true

# lane: soak -- opens a browser

require "test_helper"
require "open3"
require_relative "../../support/dashboard_browser"

# `require "coppice/capybara"`, in the processes of other tests.
class CapybaraTest < Coppice::TestCase
  ROOT = File.expand_path("../../..", __dir__)
  SHOP = "#{ROOT}/examples/rails_shop".freeze

  # Two requests that wait for each other, and what else has changed in the process.
  TWO_REQUESTS = <<~'RUBY'
    before = %w[INT TERM HUP].map { |name| trap(name, "DEFAULT") }
    require "coppice/capybara"
    arrived, together = Queue.new, Queue.new
    app = lambda do |_env|
      arrived.push(true)
      [200, { "content-type" => "text/plain" }, [together.pop]]
    end
    server = Capybara::Server.new(app).boot
    clients = Array.new(2) { Thread.new { Net::HTTP.get(server.host, "/", server.port) } }
    2.times { arrived.pop }
    2.times { together.push("together") }
    puts clients.map(&:value).join(" ")
    puts Capybara.server == Capybara.servers[:coppice]
    puts %w[INT TERM HUP].map { |name| trap(name, "DEFAULT") }.uniq == ["DEFAULT"]
    puts(Dir.glob("/proc/self/task/*/children").sum do |file|
      File.read(file).split.size
    rescue Errno::ENOENT, Errno::ESRCH # the thread of a client has ended
      0
    end)
  RUBY

  test "it serves two requests at once, without a fork and without handlers of signals" do
    assert_equal "together together\ntrue\ntrue\n0\n", output_of("ruby", "-e", TWO_REQUESTS, folder: ROOT)
  end

  test "an address that is taken is an error of the test" do
    program = <<~'RUBY'
      require "coppice/capybara"
      taken = TCPServer.new("127.0.0.1", 0)
      begin
        Capybara.server.call(->(_env) {}, taken.addr[1], "127.0.0.1")
      rescue Coppice::BindError => error
        puts error.class
      end
    RUBY

    assert_equal "Coppice::AddressInUse\n", output_of("ruby", "-e", program, folder: ROOT)
  end

  test "with coppice/minitest each generation has a server and a browser of its own" do
    output = output_of("ruby", "#{ROOT}/test/test_reforks/minitest/system.rb", folder: ROOT,
      env: { "COPPICE_REFORK_EVERY" => "1", "MT_CPU" => nil, "SEED" => nil })
    served, ended = %w[pid quit\ in].map { |word| output.scan(/#{word} (\d+)/).flatten }

    assert_equal 3, served.uniq.size, output
    assert_equal served, ended
    refute_includes output, "connection shared"
  end

  test "the system tests of the shop pass in Chromium" do
    skip "Chromium is not installed" unless Coppice::DashboardBrowser.program
    with_tmpdir do |folder|
      FileUtils.cp("#{SHOP}/storage/production.sqlite3", folder)
      output = output_of("ruby", "-Itest", "test/system/shopping_test.rb", folder: SHOP,
        env: { "SHOP_DATABASE" => "#{folder}/production.sqlite3" })

      assert_match(/^2 runs, \d+ assertions, 0 failures, 0 errors, 0 skips/, output)
    end
  end

  private

  def output_of(*command, folder:, env: {})
    bundle = { "BUNDLE_GEMFILE" => "#{ROOT}/gemfiles/system_tests.gemfile", "RAILS_ENV" => nil, "RACK_ENV" => nil }
    output, status = Open3.capture2e(bundle.merge(env), "bundle", "exec", *command, chdir: folder)
    assert_predicate status, :success?, output
    output
  end
end
