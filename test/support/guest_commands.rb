# frozen_string_literal: true

require "open3"
require "rbconfig"
require_relative "bounded_wait"
require_relative "server"

# Servers that allow guests, and clients of theirs: for tests to include.
module GuestCommands
  APP = <<~RUBY
    WARM = "the application's"
    ENV["SET_AT_BOOT"] = "by the application"
    at_exit { $stderr.puts "the mold's at_exit" }
    run ->(_env) { [200, {}, [Process.pid.to_s]] }
  RUBY

  CONFIG = "worker_processes 1\nguests 3\n"

  def serve(config = "", app: APP, **options, &block)
    Server.open(app: app, config: "#{CONFIG}#{config}", **options, &block)
  end

  # The same server for all tests that need no other.
  def share
    Server.share(app: APP, config: CONFIG) do |server|
      yield server
      no_guest(server)
    end
  end

  def command(server, *words, name: "run")
    [RbConfig.ruby, "--disable=gems", Server::EXECUTABLE, name, "--pid", server.pid.to_s, *words]
  end

  # Standard output, standard error and the status of a guest's client.
  def guest(server, *words, env: {}, **options)
    Open3.capture3({ "RUBYOPT" => nil, "RACK_ENV" => nil, **env }, *command(server, *words), **options)
  end

  # Yields the pid of a client whose guest runs, and the guest's row.
  def running(server, code, **options)
    client = Process.spawn({ "RUBYOPT" => nil, "RACK_ENV" => nil }, *command(server, "-e", code), **options)
    row = server.wait { server.rows(:guest).find { |guest| guest.ready? && guest.client_pid == client } }
    yield client, row
  ensure
    end_client(client)
  end

  def end_client(client)
    Process.kill(:KILL, client)
    BoundedWait.status_of(client)
  rescue Errno::ESRCH, Errno::ECHILD
    nil # the test has waited for it
  end

  def no_guest(server) = server.wait { server.rows(:guest).empty? }

  # The process that reads the pipe waits in a hook.
  def wait_for_reader(server, name)
    server.wait do
      File.open(server.path(name), File::WRONLY | File::NONBLOCK)
    rescue Errno::ENXIO
      nil
    end
  end

  def write(server, name, text, mode = 0o644)
    File.write(server.path(name), text)
    File.chmod(mode, server.path(name))
    server.path(name)
  end

  # The client's output, input and error, as pipes.
  def stream(server, code)
    input, output, error, waiter = Open3.popen3({ "RUBYOPT" => nil, "RACK_ENV" => nil }, *command(server, "-e", code))
    @client = waiter.pid
    (@streams ||= []).push(input, output, error)
    waiter.kill # the test waits for the process itself
    waiter.join
    [output, input, error]
  end

  def teardown
    @streams&.each(&:close)
  end
end
