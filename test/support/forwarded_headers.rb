# frozen_string_literal: true

require_relative "c_program"

module Coppice
  # Values of X-Forwarded-For for tests, and the program that reads them (ext/coppice/shared/forwarded_for.c), for a
  # server that trusts 10.0.0.0/8 and fd00::/8.
  module ForwardedHeaders
    PEER = "10.0.0.1"
    PROGRAM = CProgram.new("forwarded_driver", "test/lobby/{forwarded_driver,forwarded_harness}.c",
      "ext/coppice/{http/bytes,shared/forwarded_for,shared/lobby_address,shared/trusted_networks}.c")

    # What fuzzing begins with.
    SAMPLES = [
      "192.0.2.1", "192.0.2.1, 10.0.0.2", "192.0.2.1:80,10.0.0.2:8080", "10.0.0.3\n10.0.0.2", "2001:db8::1, fd00::1",
      "[2001:db8::1]:80, [fd00::1]", "::ffff:192.0.2.1, ::ffff:10.0.0.2", "192.0.2.1, unix:", "unknown, 10.0.0.2", ", ,"
    ].map(&:b).freeze

    # Answers the client for each input, whose lines are the values.
    def self.read(inputs, peer: PEER) #: (Array[String], ?peer: String) -> Array[String]
      PROGRAM.run(input: inputs.map { |bytes| "#{bytes.bytesize} #{peer}\n".b << bytes.b }.join).lines(chomp: true)
    end
  end
end
