# frozen_string_literal: true

require_relative "seeds"

module Coppice
  # What the fuzzing of the lobby begins with: lists of steps (fuzz_lobby.c).
  module LobbySteps
    CONNECT, ANSWER, READ, FILE, FILLER, SEND, POP, RECORD, SHUTDOWN, LEAVE, TIME, ASK, DIE = 0, 1, 2, 3, 4, 5, 7, 8, 9,
      10, 11, 12, 13
    GET = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n"
    SLOW = 66 # client 0, with a small buffer
    KEEP = 64 # an answer that keeps the connection
    HEAD = [RECORD, 1, 1, 40, 1].freeze # of an answer with status 200
    DATA = [RECORD, 2, 0, 0, 255].freeze
    ENDED = [RECORD, 5, 2, 0, 0].freeze
    ASK_CLIENT = [ASK, 0].freeze
    ASK_BODY = [ASK, 128].freeze
    OTHER = [CONNECT, 1, SEND, 1, GET.bytesize, *GET.bytes].freeze # another client's request
    HEIR, SPARED, ANY = 17, 3, 4 # the worker becomes the heir, or takes all requests
    SERVICE, HELD, GONE, NARROW, DEAD = 16, 1, 2, 4, 16 # the service for handshakes, and how it is then
    HANDSHAKE = "GET /cable HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" \
                "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    LONGEST = 2000
    private_constant(*constants)

    def self.seeds #: () -> Array[String]
      requests = ConformanceCorpus.cases.map(&:bytes).reject { |bytes| bytes.bytesize > LONGEST }
      scenes.map { |steps| list(steps) } + requests.map.with_index { |bytes, index| conversation(bytes, index) }
    end

    # A client connects, sends a request in some pieces, and a worker answers.
    def self.conversation(bytes, index)
      split = bytes.bytesize / ((index % 3) + 1)
      list([CONNECT, 0, bytes.byteslice(0, split), bytes.byteslice(split..),
            POP, ANSWER, KEEP, READ, 0, POP, ANSWER, 0, READ, 0, *(DIE if (index % 5).zero?), SHUTDOWN, 0])
    end
    private_class_method :conversation

    # Long ways that a fuzzer would not find soon, each also with deaths of the loop.
    def self.scenes
      slow = [CONNECT, SLOW, GET, POP, *HEAD]
      upload = [CONNECT, 0, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 150000\r\n\r\n"]
      chunked = [CONNECT, 0, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nea00\r\n", FILLER, 234]
      ways = [
        [*slow, FILE, 200, *DATA, *ASK_CLIENT, READ, 0, READ, 0, *ENDED, READ, 0],
        [*slow, FILE, 200, *DATA, *ENDED, *OTHER, POP, ASK, 1, READ, 0, READ, 0],
        [*slow, *DATA * 20, *ASK_CLIENT, READ, 0, READ, 0, READ, 0, *ENDED],
        [*slow, *DATA * 8, LEAVE, 0, *ENDED], [*slow, *DATA * 8, *ENDED, TIME, 255, TIME, 255],
        [*upload, *[FILLER, 252] * 4, POP, *ASK_BODY, ANSWER, KEEP, READ, 0], [*upload, FILLER, 252, SHUTDOWN, 0],
        [*chunked, "\r\n", "0\r\n\r\n", GET, POP, *ASK_BODY, ANSWER, KEEP, READ, 0, POP, ANSWER, KEEP],
        [CONNECT, 0, GET * 3, POP, ANSWER, KEEP, POP, ANSWER, KEEP, POP, ANSWER, KEEP, READ, 0],
        [CONNECT, 0, GET, POP, *ASK_CLIENT, ANSWER, 0], [CONNECT, 0, GET, POP, 15, 1, POP, ANSWER, KEEP, READ, 0],
        [SERVICE, 0, CONNECT, 0, GET, HANDSHAKE, POP, ANSWER, KEEP, "frame", SERVICE, GONE, *again(0)],
        [SERVICE, HELD, CONNECT, 0, HANDSHAKE, READ, 0, SERVICE, DEAD, *again(0), READ, 0],
        [HEIR, SPARED, CONNECT, 0, GET, HEIR, SPARED, DIE, HEIR, SPARED, HEIR, ANY, ANSWER, KEEP, GET, HEIR, 1,
         ANSWER, 0],
        [SERVICE, NARROW, *(0..5).flat_map { |client| again(client) }]
      ]
      ways + ways.map { |steps| steps.flat_map { |step| step.is_a?(String) ? [step, DIE] : [step] } + [DIE] }
    end
    private_class_method :scenes

    # This client leaves, connects and sends a handshake.
    def self.again(client)
      [LEAVE, client, CONNECT, client, SEND, client, HANDSHAKE.bytesize, *HANDSHAKE.bytes]
    end
    private_class_method :again

    # Strings are sent by client 0, in pieces of at most 255 bytes.
    def self.list(steps)
      steps.map do |step|
        next [step].pack("C") if step.is_a?(Integer)

        step.b.scan(/.{1,255}/mn).map { |piece| [SEND, 0, piece.bytesize].pack("CCC") + piece }.join
      end.join
    end
    private_class_method :list
  end
end
