# frozen_string_literal: true

require_relative "../../test_helper"
require "coppice"
require_relative "../../support/http_harness"

module Coppice
  # A worker that has no file descriptor left for what the lobby gives it: a body's file, a client's socket.
  class WorkerDescriptorsTest < TestCase
    POST = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"
    FEWER_THAN_IN_USE = 3
    REFUSED = [:error, "request refused", { status: 507, why: "no descriptor is left for the client's socket" }].freeze

    def setup
      super
      @lobby = TestLobby.new
      @harness = HttpHarness.new(lobby: false) { flunk }
    end

    def teardown
      @lobby.close
      super
    end

    test "a body whose file finds no descriptor is refused, which is logged" do
      assert_equal 507, losing_descriptor(:body_file, TestLobby::BODY).first.status
      assert_match(/Too many open files/, logged.last.last[:why])
    end

    test "a client whose body is to be read from its socket is refused, which is logged" do
      take(flags: [:unbuffered])
      records = without_descriptors { answer }

      assert_equal [%i[head end], 507], [records.map(&:type), records.first.status]
      assert_equal [REFUSED], logged
    end

    test "a client whose socket was lost costs no worker, and is logged" do
      assert_equal [:end], losing_descriptor(:unbuffered, TestLobby::CLIENT).map(&:type)
      assert_equal [REFUSED], logged
    end

    test "a client that the application wants to take over gets an answer" do
      require "socket" # not while there is no descriptor
      @harness = HttpHarness.new(lobby: false) { |env| without_descriptors { env["rack.hijack"].call } }
      take

      assert_equal 500, answer.first.status
      assert_equal ["application error: Too many open files - the client's socket (Errno::EMFILE)"],
                   @harness.log.at(:error)
    end

    private

    def logged = @harness.log.entries.select { |level,| level == :error }

    # The connection gets a request whose body is in its slot, unless a flag says otherwise. Returns its serial.
    def take(**options)
      _, _, serial = @lobby.push(POST, body_length: 5, **options)
      assert @lobby.seat.pop_into(@harness.connection)
      serial
    end

    # Serves the request. Returns the records of the answer.
    def answer
      @harness.exchange.serve
      @lobby.read_records
    end

    # The records of an answer to a request for which the lobby gives a descriptor that finds no number left.
    def losing_descriptor(flag, type)
      most = Process.getrlimit(:NOFILE)
      serial = take(flags: [flag])
      giving = Thread.new do
        @lobby.receive_packet
        File.open(File::NULL) do |file|
          Process.setrlimit(:NOFILE, FEWER_THAN_IN_USE, most.last)
          @lobby.send_packet(type, serial, file)
        end
      end
      answer.tap { BoundedWait.value_of(giving) }
    ensure
      Process.setrlimit(:NOFILE, *most)
    end

    # No number is left while the block runs.
    def without_descriptors
      most = Process.getrlimit(:NOFILE)
      Process.setrlimit(:NOFILE, FEWER_THAN_IN_USE, most.last)
      yield
    ensure
      Process.setrlimit(:NOFILE, *most)
    end
  end
end
