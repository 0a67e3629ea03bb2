# frozen_string_literal: true

# Records what a real server's workers measure of themselves, for recorded_test.rb to replay: some generations, of which
# each serves for a while and is then replaced by USR2.
#
#   ruby -Ilib -Itest test/unit/monitor/molds/refork_condition/recorded/record.rb constants 4 20 > constants.csv
#   ruby -Ilib -Itest test/unit/monitor/molds/refork_condition/recorded/record.rb shop 5 40 > shop.csv
#
# The arguments: the application, how many generations, and for how many seconds each.

require "minitest"
require "coppice"
require "coppice/monitor/molds/refork_condition/generation_usage"
require_relative "../../../../../support/closed_loop"
require_relative "../../../../../support/example_shop"
require_relative "../../../../../support/server"

ROOT = File.expand_path("../../../../../..", __dir__)
CONFIG = "worker_processes 4\ntimeout 60\n"

APPLICATIONS = {
  "constants" => [{ app: File.read("#{ROOT}/bench/apps/constants.ru"), config: CONFIG },
                  (0..999).map { |page| "/page/#{page}?wait=4" }],
  "shop" => [{ app: nil, folder: ExampleShop::FOLDER, config: CONFIG, env: ExampleShop::ENVIRONMENT },
             ["/", "/products?page=2", "/products/7", "/api/products.json", "/products?q=oak", "/products/12"]]
}.freeze

Worker = Struct.new(:row, :forked_at)
MoldUsage = Struct.new(:cold, :forked_at, :rss_kib, :anonymous_kib, :cpu_ms)
# What the monitor's roster would say.
Roster = Struct.new(:ready_workers, :mold_usage, :generation, :memory_left_kib)

def measure(server)
  row, generation = server.rows(:mold).first, server.board.generation
  usage = MoldUsage.new(generation.zero?, 0, row.rss_kib, row.anonymous_kib, row.cpu_ms)
  roster = Roster.new(server.ready_workers.map { |worker| Worker.new(worker, 0) }, usage, generation, nil)
  Coppice::Monitor::ReforkCondition::GenerationUsage.of(roster)
end

def look(server, seconds)
  (seconds * 2).times do
    sleep(0.5)
    one = measure(server) or next
    next unless one.requests.positive?

    puts [one.generation, one.requests, one.waste, one.total, one.refork_ms, one.request_ms&.round(3)].join(",")
  end
end

application, generations, seconds = ARGV
options, paths = APPLICATIONS.fetch(application)
$stdout.sync = true
puts "generation,requests,waste_kib,total_kib,refork_ms,request_ms"
Server.open(**options) do |server|
  load = ClosedLoop.new(server, clients: 4, paths: paths)
  load.start
  Integer(generations).times do |generation|
    server.wait(60) { server.settled?(generation) }
    look(server, Integer(seconds))
    server.signal(:USR2)
  end
  load.stop
end
