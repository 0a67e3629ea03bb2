# frozen_string_literal: true

# lane: soak -- a thousand connections at once

require "test_helper"
require "coppice/os/process_stat"
require "coppice/control/client"
require_relative "../support/process_descriptors"
require_relative "../support/server"

# Clients of the control socket that are broken or hostile. The server serves meanwhile, the monitor's loop turns, and
# no descriptor is left.
class ControlAttacksTest < Coppice::TestCase
  parallelize_me! # two of them wait for seconds until the server, or its client, gives up

  APP = 'run ->(env) { [200, { "content-type" => "text/plain" }, ["ok"]] }'
  NOBODY = 65_534

  # Yields a server, and checks that what was done to it had no effect.
  def attacked
    Server.open(app: APP, config: "worker_processes 1\n") do |server|
      server.get
      before = descriptors(server)
      yield server

      assert_unharmed(server)
      server.wait { descriptors(server) == before }
    end
  end

  # The loop turns as long as it replaces a worker.
  def assert_unharmed(server)
    victim = server.ready_workers.first.pid
    server.signal(:KILL, to: victim)
    server.wait { server.gone?(victim) && server.all_ready? }

    assert_equal 200, server.get.status
  end

  def descriptors(server)
    server.wait { ProcessDescriptors.at_rest(server.pid) { ProcessDescriptors.links(server.pid).size } }
  end

  def connect(server)
    socket = Socket.new(:UNIX, :STREAM)
    socket.connect(Coppice::Control::Endpoint.of(server.pid))
    socket
  end

  def clients(server, number)
    sockets = Array.new(number) { connect(server) }
    yield sockets
  ensure
    sockets&.each(&:close)
  end

  def client(server) = clients(server, 1) { |sockets| yield sockets.first }

  def status(server) = Coppice::Control::Client.new(pid: server.pid).call("status").first

  # All that comes until the server has closed the connection.
  def rest(socket)
    text = +""
    loop { text << BoundedWait.readable(socket).readpartial(65_536) }
  rescue EOFError, Errno::ECONNRESET
    text
  end

  # Until the other end does not take it any more.
  def pour(socket, bytes)
    socket.write(bytes)
  rescue Errno::EPIPE, Errno::ECONNRESET
    nil
  end

  test "a megabyte without a line end" do
    attacked do |server|
      client(server) do |socket|
        pour(socket, "x" * 1_048_576)

        assert_equal "error: a line has at most 4096 bytes\n", rest(socket)
      end
    end
  end

  test "half a line, then silence; and nothing at all" do
    attacked do |server|
      clients(server, 2) do |half, silent|
        half.write("stat")

        assert_equal ["", ""], [rest(half), rest(silent)]
      end
    end
  end

  test "one that has closed its sending side gets its answer, with a line end and without" do
    attacked do |server|
      %W[status\n status].each do |line|
        client(server) do |socket|
          socket.write(line)
          socket.close_write

          assert_operator rest(socket), :end_with?, "\nok\n"
        end
      end
    end
  end

  test "words that are no verb, arguments that are none, bytes that are no text" do
    attacked do |server|
      { "" => "say one of: status, ", "frobnicate" => "say one of: status, ", "workers" => "usage: workers N",
        "workers 5000" => "N is a whole number", "workers -1" => "N is", "workers 1 2" => "usage: workers N",
        "recycle x" => "NR is", "stop --later" => "usage: stop", "log-level loud" => "LEVEL is debug, info",
        "backtrace ../1" => "NR is", "\xFF\0\e[2J" => "say one of", "workers \xFF" => "N is",
        "roll /%FF" => "/" }.each do |line, complaint|
        client(server) do |socket|
          socket.write("#{line}\n")

          assert_operator rest(socket), :start_with?, "error: #{complaint}", line
        end
      end
    end
  end

  test "a thousand connections: the server goes on, and those that wait are served" do
    attacked do |server|
      idle = []
      begin
        1000.times do
          idle << socket = Socket.new(:UNIX, :STREAM)
          socket.connect_nonblock(Coppice::Control::Endpoint.of(server.pid))
        end
      rescue Errno::EAGAIN # the queue is full
        assert_operator idle.size, :>, 16
      end
      assert_unharmed(server)
      assert_operator descriptors(server), :<, 16 + 32
      idle.each(&:close)

      assert_match(/^server +serving/, status(server))
    ensure
      idle&.each(&:close)
    end
  end

  test "descriptors beside the words are not kept" do
    attacked do |server|
      reader, writer = IO.pipe
      { 3 => /\nok\n\z/, 200 => /\Aerror: at most \d+ descriptors may come with a line\n\z/ }.each do |count, answer|
        client(server) do |socket|
          socket.sendmsg("status\n", 0, nil, Socket::AncillaryData.unix_rights(*[writer] * count))

          assert_match answer, rest(socket)
        end
      end
      writer.close

      # Another test that forks at this moment holds it as well, for a while.
      BoundedWait.readable(reader, BoundedWait::SECONDS, "somebody holds the other end")
      assert_nil reader.read_nonblock(1, exception: false)
    ensure
      [reader, writer].each { |io| io&.close }
    end
  end

  test "one that does not read its answer, and one that leaves before it" do
    attacked do |server|
      clients(server, 2) do |sockets|
        sockets.each { |socket| socket.write("backtrace 0\n") }
        sockets.last.close

        assert_unharmed(server)
      end
    end
  end

  test "another user is refused, on both sides" do
    skip "only root can become another user" unless Process.euid.zero?

    attacked do |server|
      address = Coppice::Control::Endpoint.of(server.pid)
      reader, writer = IO.pipe
      stranger = fork do
        Process::Sys.setuid(NOBODY)
        socket = Socket.new(:UNIX, :STREAM)
        socket.connect(address)
        pour(socket, "stop\n")
        writer.write(rest(socket).inspect)
        exit!(0)
      end
      writer.close
      BoundedWait.status_of(stranger)

      assert_equal '""', reader.read
      assert_equal 0, server.board.shutting_down
    ensure
      [reader, writer].each { |io| io&.close }
    end
  end

  # Its name is free once a monitor has exited, or when there never was one.
  test "a client does not talk to another user's process, nor to one that it did not mean" do
    impostor = Socket.new(:UNIX, :STREAM)
    impostor.bind(Coppice::Control::Endpoint.of(Process.ppid))
    impostor.listen(1)

    assert_match(/\A@coppice-\d+-#{Process.ppid} is of process #{Process.pid}, not of #{Process.ppid}\z/,
      assert_raises(Coppice::Error) { Coppice::Control::Client.new(pid: Process.ppid).call("status") }.message)
  ensure
    impostor&.close
  end

  test "a client gives up when the monitor is stopped, and says what to do" do
    attacked do |server|
      server.signal(:STOP)
      server.wait { Coppice::OS::ProcessStat.of(server.pid).stopped? }

      assert_equal "the monitor (process #{server.pid}) does not answer within 15 s. " \
                   "It is stopped: kill -CONT #{server.pid} continues it",
        assert_raises(Coppice::Error) { status(server) }.message
    ensure
      server.signal(:CONT)
    end
  end
end
