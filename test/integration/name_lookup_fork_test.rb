# frozen_string_literal: true

# lane: soak -- forks into held locks by luck

require "test_helper"
require_relative "../support/server"

# Threads that look names up all the time while their process is forked: with Coppice.prevent_fork, and without.
class NameLookupForkTest < Coppice::TestCase
  GENERATIONS = 5

  def setup
    Addrinfo.getaddrinfo("localhost", 80)
  rescue SocketError => error
    skip "no name can be looked up here: #{error.message}"
  end

  # The file `caught` is there when a fork was made while a lookup was under way.
  def app(guard)
    <<~RUBY
      module Lookup
        class << self
          attr_accessor :under_way

          def once = Addrinfo.getaddrinfo("localhost", 80)

          def again_and_again
            done = Thread::Queue.new
            Thread.new do
              loop do
                #{guard} do
                  self.under_way = true
                  done << 100.times { once }
                  IO.select(nil, nil, nil, 0.02) # as if by a name server that takes its time
                  self.under_way = false
                end
                IO.select(nil, nil, nil, 0.001)
              end
            end
            done.pop
          end
        end

        def _fork
          File.write("caught", "") if Lookup.under_way
          super.tap { |pid| Lookup.under_way = false if pid.zero? }
        end
      end
      Process.singleton_class.prepend(Lookup)

      run ->(_env) { [200, {}, []] }
    RUBY
  end

  def serve(guard, &block)
    hooks = <<~RUBY
      after_worker_fork do |_server, _worker|
        Lookup.once
        Lookup.again_and_again
      end
    RUBY
    Server.open(app: app(guard), config: "worker_processes 2\nrefork_backoff 0.1\nspawn_timeout 4\n#{hooks}", &block)
  end

  def refork(server, generation)
    server.signal(:USR2)
    server.wait(180) { server.settled?(generation) } # each fork that hangs takes spawn_timeout
  end

  test "no fork is made while a thread prevents it" do
    serve("Coppice.prevent_fork") do |server|
      GENERATIONS.times { |generation| refork(server, generation + 1) }

      refute_path_exists server.path("caught")
    end
  end

  test "a fork in the middle of a lookup leaves workers that can look up, or else are replaced" do
    serve("1.times") do |server|
      GENERATIONS.times { |generation| refork(server, generation + 1) }

      assert_equal 200, server.get.status
    end
  end
end
