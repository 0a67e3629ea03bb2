# frozen_string_literal: true

require "minitest/autorun"
require "coppice/capybara"
require "coppice/minitest"
require "capybara/dsl"

# System tests of an application that answers with the pid of the process that serves it.
class SystemTest < Minitest::Test
  include Capybara::DSL

  # Stands for a browser, which keeps a connection open.
  class Browser < Capybara::Driver::Base
    attr_reader :html

    def initialize = @connection = TCPSocket.new("127.0.0.1", LISTENER.local_address.ip_port)
    def needs_server? = true
    def visit(path) = @html = Net::HTTP.get(URI(path))
    def reset! = @html = nil

    def quit
      @connection.close
      puts "quit in #{Process.pid}"
    end
  end

  LISTENER = TCPServer.new("127.0.0.1", 0)
  Capybara.register_driver(:browser) { Browser.new }
  Capybara.app = ->(_env) { [200, { "content-type" => "text/plain" }, [Process.pid.to_s]] }

  def teardown
    Capybara.reset_sessions!
    Capybara.use_default_driver
  end

  3.times do |number|
    define_method("test_#{number}") do
      %i[browser rack_test].each do |driver|
        Capybara.current_driver = driver
        visit "/"

        assert_equal Process.pid.to_s, page.html[/\d+/]
      end
      puts "pid #{Process.pid}"
    end
  end
end
