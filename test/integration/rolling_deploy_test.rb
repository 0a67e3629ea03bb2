# frozen_string_literal: true

# lane: soak -- runs nginx and HAProxy

require "securerandom"
require "test_helper"
require_relative "../support/closed_loop"
require_relative "../support/documentation"
require_relative "../support/instance"
require_relative "../support/loopback_ports"
require_relative "../support/reverse_proxy"

# Three instances behind a proxy are replaced one after the other under load, with the configurations of
# docs/proxies.md: no request may fail, and none that changes something may arrive twice.
class RollingDeployTest < Coppice::TestCase
  PAGE = Coppice::Documentation.new("proxies.md")
  HEALTH = Coppice::Documentation.new("deployment.md").block("lib/health.rb")
  NUMBERS = %w[1 2 3].freeze

  # Seconds of shutdown_delay behind HAProxy, which sees after two that a server stops, or later on a busy machine.
  DELAY = 15

  # Takes a while, so that a stop always meets requests. Each order is a line of the journal, with the monitor of who
  # took it.
  APP = <<~RUBY.freeze
    #{HEALTH}
    map("/up") { run Health }

    run(lambda do |env|
      IO.select(nil, nil, nil, 0.05)
      order = env["rack.input"].read
      File.write(ENV.fetch("JOURNAL"), "\#{order} \#{Process.ppid}\\n", mode: "a") if env["REQUEST_METHOD"] == "POST"
      [200, { "content-type" => "text/plain" }, ["thank you"]]
    end)
  RUBY

  # Yields a folder and free ports, unless the proxy is missing.
  def prepare(proxy, ports:)
    skip "#{proxy::NAME} is not installed" unless proxy.program

    with_tmpdir do |folder|
      @journal = File.join(folder, "journal")
      File.write(@journal, "")
      yield folder, *LoopbackPorts.free(ports)
    end
  end

  # Yields an instance for each number, configured by the block's answer.
  def with_instances(configurations)
    instances = NUMBERS.zip(configurations).map do |number, config|
      Instance.new(app: APP, config: config, env: { "INSTANCE" => number, "JOURNAL" => @journal })
    end
    instances.map { |instance| Thread.new { instance.start } }.each(&:join)
    yield instances
  rescue Minitest::Assertion, StandardError
    instances&.each(&:show_log)
    raise
  ensure
    instances&.each(&:clean_up)
  end

  # Each order's id, and who took it.
  def orders = File.readlines(@journal, chomp: true).map(&:split)

  def wait_until_served_by(instance)
    eventually(60, "instance #{instance.pid} gets no order") { orders.any? { |_, pid| pid.to_i == instance.pid } }
  end

  # Old and new processes of each must have had a share of the load.
  def restart_one_after_the_other(instances, to_all)
    instances.each do |instance|
      wait_until_served_by(instance)
      instance.restart(to_all: to_all)
    end
    instances.each { |instance| wait_until_served_by(instance) }
  end

  def assert_unnoticed(proxy, instances, to_all: false)
    pages = ClosedLoop.new(proxy, clients: 2, paths: ["/"])
    orderers = ClosedLoop.new(proxy, clients: 2, paths: ["/orders"]) do |path|
      proxy.request("POST", path, {}, SecureRandom.uuid)
    end
    loops = [pages, orderers].each(&:start)
    restart_one_after_the_other(instances, to_all)
    loops.each(&:stop)

    assert_empty loops.flat_map(&:failures)
    assert_operator pages.answers, :>, 0
    assert_equal orderers.answers, orders.map(&:first).uniq.size
    assert_equal orderers.answers, orders.size
  ensure
    loops&.each(&:stop)
  end

  test "nobody behind nginx notices a deploy" do
    prepare(Nginx, ports: 1) do |folder, front|
      NUMBERS.each { |number| Dir.mkdir(File.join(folder, "shop-#{number}")) }
      run = { "/run/" => "#{folder}/" }
      with_instances([PAGE.block("config/coppice.rb behind nginx", run)] * NUMBERS.size) do |instances|
        config = PAGE.block("/etc/nginx/nginx.conf", run.merge("listen 80;" => "listen 127.0.0.1:#{front};"))
        Nginx.open(config, port: front, folder: folder) { |proxy| assert_unnoticed(proxy, instances) }
      end
    end
  end

  { "the monitor" => false, "every process" => true }.each do |receiver, to_all|
    test "nobody behind HAProxy notices a deploy with TERM to #{receiver}" do
      prepare(Haproxy, ports: 4) do |folder, front, *ports|
        configs = ports.map do |port|
          values = { "listen 8080" => "listen '127.0.0.1:#{port}'", "shutdown_delay 4" => "shutdown_delay #{DELAY}" }
          PAGE.block("config/coppice.rb behind HAProxy", values)
        end
        with_instances(configs) do |instances|
          servers = ports.zip(11..).to_h { |port, host| ["10.0.0.#{host}:8080", "127.0.0.1:#{port}"] }
          config = PAGE.block("/etc/haproxy/haproxy.cfg", servers.merge("bind :80" => "bind 127.0.0.1:#{front}"))
          Haproxy.open(config, port: front, folder: folder) do |proxy|
            assert_unnoticed(proxy, instances, to_all: to_all)
          end
        end
      end
    end
  end
end
