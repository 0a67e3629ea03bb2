# frozen_string_literal: true

# A view of a server that is none: run by test/tools/process/top_session_test.rb on a terminal. Its monitor answers from
# here, and tells what it was told on the descriptor 3. The first argument names what fails.
require "coppice/coppice_ext"
require "coppice/tools/top/session"
require_relative "stats_fixture"

orders = IO.for_fd(3)
client = Object.new
client.define_singleton_method(:call) do |*words|
  orders.syswrite("#{words.join(' ')}\n")
  raise Coppice::Error, "the monitor refuses" if ARGV.first == "refuse"

  words.first == "backtrace" ? ["app/shop.rb:7:in `buy'"] : ["#{words.first} is done"]
end
looks = 0
source = lambda do
  looks += 1
  raise "the board cannot be read" if ARGV.first == "raise" && looks == 3

  StatsFixture.at(looks.to_f, workers: 30) unless ARGV.first == "gone" && looks == 3
end
sent = Coppice::Top::Orders.new(client)
session = Coppice::Top::Session.new(source: source, orders: sent, screen: Coppice::Top::Screen.new($stdin, $stdout),
  keyboard: Coppice::Top::Keyboard.new($stdin), interval: 0.05)
outcome = session.run
orders.syswrite("outcome #{outcome}\n")
