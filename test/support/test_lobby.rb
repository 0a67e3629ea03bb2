# frozen_string_literal: true

require "ipaddr"
require "socket"
require_relative "compiled_extension"
require_relative "../../lib/coppice/http"

require Coppice::CompiledExtension.path("test_lobby", "test/support/test_lobby/test_lobby.c",
                                        "ext/coppice/{shared/request_queue,shared/answer_ring,http/*}.c")

module Coppice
  # A lobby with one seat, in the test's own process, with the same shared memory as the real one. It refuses nothing: a
  # head must be well-formed.
  class TestLobby
    TYPES = { 1 => :head, 2 => :data, 3 => :file, 4 => :hints, 5 => :end }.freeze
    FLAGS = { keep: 1, body_file: 2, unbuffered: 4 }.freeze
    ASK_BODY, ASK_CLIENT, FILE, BODY, CLIENT, GONE = *1..6
    PACKET = "LLQ"

    # One record of a ring.
    Record = Struct.new(:type, :flags, :status, :serial, :payload) do
      def keep? = flags.anybits?(1)
      def whole? = flags.anybits?(2)
      def reset? = flags.anybits?(4)
    end

    attr_reader :memory, :seat, :socket, :event, :records

    def initialize
      @memory = Memory.new
      LobbySeat.prepare_ring(@memory.descriptors[2])
      @memory.attach
      @socket, theirs = Socket.pair(:UNIX, :SEQPACKET)
      @seat = LobbySeat.new(SEAT, *@memory.descriptors, theirs.fileno)
      theirs.close
      @event = IO.for_fd(@memory.descriptors.last, autoclose: false)
      @records = []
    end

    def close
      @socket.close
      @seat.close
      @memory.close
    end

    # A request, given as its bytes. Answers slot, position and serial.
    def push(bytes, body_length: 0, flags: [], request_id: "", queued_us: 1, arrived_us: queued_us,
             client: "127.0.0.1", server: nil)
      bits = flags.sum { |flag| FLAGS.fetch(flag) }
      pushed = @memory.push(bytes, body_length, bits, request_id, [arrived_us, queued_us], address(client),
                            address(*server))
      @memory.wake
      pushed
    end

    # In the lobby's form; nil for none.
    def address(text = nil, port = 4711)
      return unless text

      [text.include?(":") ? Socket::AF_INET6 : Socket::AF_INET, port, IPAddr.new(text).hton]
    end

    # The records that are there.
    def read_records
      @memory.take_answered
      found = []
      while (values = @memory.read)
        found << Record.new(TYPES.fetch(values[0]), *values.drop(1))
      end
      @records.concat(found)
      found
    end

    def send_packet(type, serial, io = nil, bytes = "")
      rights = io ? [Socket::AncillaryData.unix_rights(io)] : []
      @socket.sendmsg([type, 0, serial].pack(PACKET) + bytes, 0, nil, *rights)
    end

    # [type, serial, IO or nil]; nil at the end.
    def receive_packet
      bytes, _, _, *controls = @socket.recvmsg(scm_rights: true)
      return if bytes.to_s.empty?

      type, _, serial = bytes.unpack(PACKET)
      [type, serial, controls.flat_map { |control| control.unix_rights || [] }.first]
    end
  end
end

require_relative "test_lobby_session"
