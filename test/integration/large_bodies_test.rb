# frozen_string_literal: true

# lane: soak -- bodies of 256 MiB

require "test_helper"
require "zlib"
require_relative "../support/process_memory"
require_relative "../support/raw_client"
require_relative "../support/server"

# Bodies much larger than the memory that a worker may use. COPPICE_BODY_MIB sets another size, to try by hand.
class LargeBodiesTest < Coppice::TestCase
  PIECE_BYTES = 1024 * 1024
  PIECES = Integer(ENV.fetch("COPPICE_BODY_MIB", 256))
  ALLOWED_KIB = 16 * 1024

  APP = <<~'RUBY'
    require "zlib"

    file = Class.new do
      def to_path = "large"
      def each = raise("a file is not sent by each")
    end

    run(lambda do |env|
      next [200, { "content-length" => File.size("large").to_s }, file.new] if env["PATH_INFO"] == "/file"

      sum = bytes = 0
      buffer = String.new
      while env["rack.input"].read(65_536, buffer)
        sum = Zlib.crc32(buffer, sum)
        bytes += buffer.bytesize
      end
      [200, {}, ["#{bytes} #{sum}"]]
    end)
  RUBY

  def serve(config = "", &block) = Server.open(app: APP, config: "timeout 120\n#{config}", &block)

  # Yields each piece of a body; no two are alike. Answers the checksum of all.
  def pieces
    filling = Random.new(1).bytes(PIECE_BYTES - 8)
    (1..PIECES).reduce(0) do |sum, number|
      piece = [number].pack("q") << filling
      yield piece
      Zlib.crc32(piece, sum)
    end
  end

  # What the application answers to the body, and what it should.
  def upload(server, framing)
    RawClient.on(server.connect) do |client|
      client.write("POST / HTTP/1.1\r\nHost: x\r\n#{framing}\r\n\r\n")
      sum = pieces { |piece| yield client, piece }
      client.write("0\r\n\r\n") if framing.start_with?("Transfer")
      [client.answer.body, "#{PIECES * PIECE_BYTES} #{sum}"]
    end
  end

  def upload_with_length(server)
    upload(server, "Content-Length: #{PIECES * PIECE_BYTES}") { |client, piece| client.write(piece) }
  end

  def upload_in_chunks(server)
    upload(server, "Transfer-Encoding: chunked") do |client, piece|
      client.write("#{piece.bytesize.to_s(16)}\r\n#{piece}\r\n")
    end
  end

  # Makes a sparse file, with bytes at both ends only; answers its size and checksum.
  def write_sparse_file(path)
    File.write(path, "first")
    File.write(path, "last", (PIECES * PIECE_BYTES) - 4)
    File.open(path, "rb") { |file| size_and_sum(file.each(nil, PIECE_BYTES)) }
  end

  def size_and_sum(pieces)
    pieces.reduce([0, 0]) { |(size, sum), piece| [size + piece.bytesize, Zlib.crc32(piece, sum)] }
  end

  # The worker has served requests before, and must not grow while it serves those of the block.
  def assert_worker_stays_small(server, &block)
    server.request("POST", "/", {}, "warm")
    growth = ProcessMemory.growth_kib(server.ready_workers.first.pid, &block)

    assert_operator growth, :<, ALLOWED_KIB, "the worker has grown by #{growth} KiB"
  end

  { "kept in a file" => true, "read from the client" => false }.each do |way, rewindable|
    test "uploads that are #{way}" do
      serve("rewindable_input #{rewindable}") do |server|
        assert_worker_stays_small(server) do
          assert_equal(*upload_with_length(server))
          assert_equal(*upload_in_chunks(server))
        end
      end
    end
  end

  test "the download of a file" do
    serve do |server|
      sent = write_sparse_file(server.path("large"))
      assert_worker_stays_small(server) do
        RawClient.on(server.connect) do |client|
          client.write("GET /file HTTP/1.1\r\nHost: x\r\n\r\n")
          assert_equal sent, size_and_sum(client.each_body_piece)
        end
      end
    end
  end
end
