# frozen_string_literal: true

# Records what canaries of the example shop would see, in test/unit/monitor/molds/canary/recorded:
#
#   ruby -Ilib -Itest test/support/record_canaries.rb
#
# Three workers of an old release serve, and one worker of a new release beside them, which has just booted, as after
# `coppice roll`. Clients ask both for the same pages in random order. Each file has a line for each request: status and
# application time in ms.
#
#   first.txt         the old release's first requests, of one worker
#   NAME.trial.txt    the first requests of a new release that is changed as RELEASES says
#   NAME.beside.txt   what the old release served meanwhile
#
# It needs the example shop's bundle and database (see examples/rails_shop/README.md), and takes some minutes.

require "minitest"
require "json"
require_relative "server"
require_relative "closed_loop"
require_relative "example_shop"

module RecordCanaries
  FOLDER = File.expand_path("../unit/monitor/molds/canary/recorded", __dir__)
  RANDOM = Random.new(18)
  PATHS = Array.new(2000) do
    number = RANDOM.rand(1..40)
    ["/", "/up", "/products", "/products?page=#{RANDOM.rand(1..4)}", "/products/#{number}", "/products/#{number}",
     "/products?q=oak", "/cart", "/api/products.json", "/api/products/#{number}.json",
     "/uploads/new"].sample(random: RANDOM)
  end.freeze
  REQUESTS = 210
  BESIDE = 400

  # What is different in each new release: middleware around the shop.
  RELEASES = {
    "equal" => "",
    # As of a migration that is not there, on one of the pages.
    "broken" => "use(Class.new { def initialize(app) = @app = app
                 def call(env)
                   raise 'no such column' if env['PATH_INFO'].start_with?('/api/products/')
                   @app.call(env)
                 end })",
    # Each page is made three times.
    "slow" => "use(Class.new { def initialize(app) = @app = app
               def call(env)
                 2.times do
                   body = @app.call(env.dup).last
                   body.each { }
                   body.close if body.respond_to?(:close)
                 end
                 @app.call(env)
               end })"
  }.freeze

  module_function

  def call
    with_release("", workers: 3) do |old|
      load(old, clients: 3) { old.wait(300, "first requests") { lines(old, worker: 0).size >= REQUESTS } }
      write("first", lines(old, worker: 0).first(REQUESTS))
      RELEASES.each { |name, change| record(name, change, old) }
    end
  end

  def record(name, change, old)
    with_release(change, workers: 1) do |trial|
      before = lines(old).size
      load(old, clients: 3) do
        load(trial, clients: 1) { trial.wait(300, "the trial's requests") { lines(trial).size >= REQUESTS } }
      end
      write("#{name}.trial", lines(trial).first(REQUESTS))
      write("#{name}.beside", lines(old).drop(before).first(BESIDE))
    end
  end

  def with_release(change, workers:, &block)
    app = "require #{"#{ExampleShop::FOLDER}/config/environment".dump}\n#{change}\nrun Rails.application\n"
    config = "worker_processes #{workers}\ntimeout 60\naccess_log :json, File.join(__dir__, 'access.log')\n"
    Server.open(app: app, folder: ExampleShop::FOLDER, config: config, env: ExampleShop::ENVIRONMENT, &block)
  end

  def load(server, clients:, &block)
    ClosedLoop.new(server, clients: clients, paths: PATHS.shuffle(random: RANDOM)).during(&block)
  end

  # The last line may not be complete yet.
  def lines(server, worker: nil)
    text = File.read(server.path("access.log"))
    requests = text.lines.select { |line| line.end_with?("\n") }.map { |line| JSON.parse(line) }
    requests.select { |request| worker.nil? || request["worker"] == worker }
  end

  def write(name, requests)
    lines = requests.map { |request| format("%<status>d %<application_ms>.1f\n", request.transform_keys(&:to_sym)) }
    File.write(File.join(FOLDER, "#{name}.txt"), lines.join)
  end
end

RecordCanaries.call if $PROGRAM_NAME == __FILE__
