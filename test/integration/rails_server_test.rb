# frozen_string_literal: true

# lane: soak -- boots copies of an application with each Rails

require "test_helper"
require "net/http"
require_relative "../support/handler_server"
require_relative "../support/loopback_ports"

# `bin/rails server` in a copy of the example shop.
class RailsServerTest < Coppice::TestCase
  ROOT = File.expand_path("../..", __dir__)
  SHOP = "#{ROOT}/examples/rails_shop".freeze
  PARTS = %w[app bin config config.ru db lib Rakefile].freeze
  # What is beside them comes and goes while other tests use the shop.
  STORED = %w[production.sqlite3 secret_key_base].freeze

  # Gemfiles by the version of Rails, and the oldest Ruby that can use them.
  BUNDLES = { "7.2" => ["#{SHOP}/Gemfile", "3.1"], "8.1" => ["#{ROOT}/gemfiles/rails-8.1.gemfile", "3.2"] }.freeze

  # Notes each process that initializes the application, and whether it caches.
  BOOTS = <<~'RUBY'
    caches = Rails.application.config.action_controller.perform_caching
    File.write(Rails.root.join("boots"), "#{Process.pid} #{caches}\n", mode: "a")
  RUBY

  # Defines the test once for each version of Rails.
  def self.test_with_rails(name, &block)
    BUNDLES.each do |version, (gemfile, ruby)|
      test "#{name}, with Rails #{version}" do
        skip "Rails #{version} needs Ruby #{ruby}" if Gem::Version.new(RUBY_VERSION) < Gem::Version.new(ruby)
        @gemfile = gemfile
        instance_exec(&block)
      end
    end
  end

  test_with_rails "in development the process serves the application that it has loaded" do
    rails_server do |server|
      assert_equal "200", server.get("/up").status.to_s
      assert_equal [server.pid], server.family
      assert_equal [server.pid], boots
      assert_equal server.pid, File.read("#{@shop}/tmp/pids/server.pid").to_i
      server.signal(:INT)

      assert_equal 0, server.wait_for_end.exitstatus
      refute_path_exists "#{@shop}/tmp/pids/server.pid"
      assert_equal 1, server.log.scan('Started GET "/up"').size
    end
  end

  test_with_rails "it loads changed code, and starts again with bin/rails restart, with -C with a cache both times" do
    rails_server("-C") do |server|
      assert_equal 404, server.get("/new").status
      add_page
      assert_equal "a new page", server.get("/new").body

      assert system(environment, "bin/rails", "restart", chdir: @shop)
      server.wait(120, "the second boot") { boots == [server.pid] * 2 }
      server.wait(120, "an answer") { answering?(server) }
      assert_equal "a new page", server.get("/new").body
      assert_equal [true, true], caching
    end
  end

  test_with_rails "a typed port is more than the configuration" do
    port = LoopbackPorts.free(1).first
    rails_server("-p", port.to_s, "-b", "127.0.0.1", ready: false) do |server|
      status = server.wait(120, "an answer") { status_at(port) }

      assert_equal "200", status
      refute_path_exists server.socket_path
    end
  end

  test_with_rails "in production the process becomes a monitor before it loads the application" do
    rails_server("-e", "production", "-P", "tmp/own.pid", "--log-to-stdout") do |server|
      assert_predicate server, :monitor?
      assert_equal 200, server.get("/up").status
      assert_equal server.rows(:mold).map(&:pid), boots
      assert_equal server.pid, File.read("#{@shop}/tmp/own.pid").to_i
      assert_equal 0, server.stop.exitstatus
      refute_path_exists "#{@shop}/tmp/own.pid"
      assert_equal 1, server.log.scan('Started GET "/up"').size
    end
  end

  test_with_rails "in production -u finds a gem that the bundle does not require, before the application is loaded" do
    rails_server("-u", "coppice", "-e", "production", required: false) do |server|
      assert_equal server.rows(:mold).map(&:pid), boots
    end
  end

  test_with_rails "-d leaves a server in the background" do
    %w[development production].each do |name|
      rails_server("-d", "-e", name, "-P", "tmp/own.pid", ready: false) do |server|
        assert_equal 0, server.wait_for_end(120).exitstatus
        eventually(120) { answering?(server) }
        pid = File.read("#{@shop}/tmp/own.pid").to_i
        Process.kill(:TERM, pid)

        eventually(60) { !File.exist?("/proc/#{pid}") }
        refute_path_exists "#{@shop}/tmp/own.pid"
      end
    end
  end

  private

  def rails_server(*flags, required: true, **options, &block)
    with_tmpdir do |folder|
      @shop = folder
      use_gemfile_that_requires_nothing unless required
      FileUtils.cp_r(PARTS.map { |name| "#{SHOP}/#{name}" }, folder)
      FileUtils.mkdir("#{folder}/storage")
      FileUtils.cp(STORED.map { |name| "#{SHOP}/storage/#{name}" }, "#{folder}/storage")
      File.write("#{folder}/config/initializers/boots.rb", BOOTS)
      HandlerServer.open(app: nil, folder: folder, env: environment, program: ["bin/rails", "server", *flags],
                         **options, &block)
    end
  end

  def use_gemfile_that_requires_nothing
    texts = ["", ".lock"].to_h { |ending| [ending, File.read("#{@gemfile}#{ending}")] }
    @gemfile = "#{@shop}/Gemfile"
    texts.each do |ending, text|
      here = text.sub(/^gem "coppice".*/, "gem \"coppice\", path: \"#{ROOT}\", require: false")
      File.write("#{@gemfile}#{ending}", here.sub(/^  remote: \.\..*/, "  remote: #{ROOT}"))
    end
  end

  # The shop has data for production only. Without RUBYOPT, which keeps error_highlight away: pages of errors of Rails
  # 8.1 need it.
  def environment
    { "RACK_ENV" => nil, "RAILS_ENV" => nil, "RUBYOPT" => nil, "BUNDLE_GEMFILE" => @gemfile,
      "SHOP_DATABASE" => "#{@shop}/storage/production.sqlite3" }
  end

  def add_page
    File.write("#{@shop}/app/controllers/news_controller.rb",
      "class NewsController < ApplicationController\n  def show = render(plain: \"a new page\")\nend\n")
    routes = "#{@shop}/config/routes.rb"
    File.write(routes, File.read(routes).sub(/ do\n/, " do\n  get \"new\" => \"news#show\"\n"))
  end

  # The pids that have initialized the application, one for each boot.
  def boots = File.readlines("#{@shop}/boots").map(&:to_i)

  def caching = File.readlines("#{@shop}/boots").map { |line| line.split.last == "true" }

  def answering?(server)
    server.get("/up").status == 200
  rescue SystemCallError, EOFError # also while it starts again
    false
  end

  def status_at(port)
    Net::HTTP.get_response("127.0.0.1", "/up", port).code
  rescue Errno::ECONNREFUSED
    nil
  end
end
