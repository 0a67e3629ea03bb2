# frozen_string_literal: true

require_relative "../support/answer_rings"
require_relative "../support/forwarded_headers"
require_relative "../support/parser_driver"
require_relative "../support/proxy_headers"
require_relative "lobby_steps"
require_relative "seeds"

module Coppice
  # What can be fuzzed, by name: the sources of the program with libFuzzer, what it begins with, and without libFuzzer
  # how inputs are tried (nil: not). `tuning` are bytes in front of each input that choose limits and splits.
  FUZZ_TARGETS = {
    "parser" => {
      sources: ["test/fuzz/{fuzz_http_parser,harness}.c", "ext/coppice/http/*.c"],
      tuning: "\0\x10".b, seeds: -> { Seeds.of("parser") }, try: ->(inputs) { ParserDriver.new.heads(inputs) }
    },
    "chunked" => {
      sources: ["test/fuzz/{fuzz_chunked,harness}.c", "ext/coppice/http/*.c"],
      tuning: "\0\x10".b, seeds: -> { Seeds.of("chunked") }, try: ->(inputs) { ParserDriver.new.bodies(inputs) }
    },
    "lobby" => {
      sources: ["test/fuzz/fuzz_lobby.c", "ext/coppice/lobby/{client,memory,worker}/*.c",
                "ext/coppice/lobby/loop/{[!clm]*,channel,listeners}.c", "ext/coppice/{http,shared}/*.c"],
      tuning: "", seeds: -> { LobbySteps.seeds }, try: nil
    },
    "proxy" => {
      sources: ["test/fuzz/fuzz_proxy.c", "test/lobby/proxy_harness.c", "ext/coppice/lobby/client/proxy_protocol.c",
                "ext/coppice/shared/lobby_address.c"],
      tuning: "", seeds: -> { ProxyHeaders.seeds }, try: ->(inputs) { ProxyHeaders.read(inputs) }
    },
    "forwarded" => {
      sources: ["test/fuzz/fuzz_forwarded_for.c", "test/lobby/forwarded_harness.c",
                "ext/coppice/{http/bytes,shared/forwarded_for,shared/lobby_address,shared/trusted_networks}.c"],
      tuning: "", seeds: -> { ForwardedHeaders::SAMPLES }, try: ->(inputs) { ForwardedHeaders.read(inputs) }
    },
    # Without libFuzzer a program spoils as many rings by itself.
    "ring" => {
      sources: ["test/fuzz/fuzz_answer_ring.c", "ext/coppice/shared/answer_ring.c"],
      tuning: "\0\0", seeds: -> { AnswerRings.seeds },
      try: ->(inputs) { AnswerRings.run("spoil", inputs.hash.abs % 100_000, inputs.size) }
    }
  }.freeze
end
