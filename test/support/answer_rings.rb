# frozen_string_literal: true

require_relative "c_program"

module Coppice
  # The reader of answer rings (ext/coppice/shared/answer_ring.c) in a C program of its own, and answers to begin with.
  module AnswerRings
    # Records as in answer_ring.h: a small answer, one with a file, one behind early hints, one that is cut, and one
    # behind a record that leads to the ring's start.
    def self.seeds #: () -> Array[String]
      head = [1, 1, "HTTP/1.1 200 OK\r\n\r\n"]
      whole = [5, 2, ""]
      answers = [[head, whole], [head, [3, 0, [0, 1000].pack("QQ")], whole], [[4, 0, "HTTP/1.1 103 \r\n\r\n"], head],
                 [head, [2, 0, "a" * 100], [5, 4, ""]], [[6, 0, ""], whole]]
      answers.map { |records| records.map { |values| record(*values) }.join }
    end

    # Runs test/lobby/answer_ring_driver.c, and answers the numbers that it prints.
    def self.run(kind, seed, count) #: (String, Integer, Integer) -> Array[Integer]
      @driver ||= CProgram.new("answer_ring_driver", "test/lobby/answer_ring_driver.c",
                               "ext/coppice/shared/answer_ring.c")
      @driver.run(kind, seed.to_s, count.to_s).scan(/\d+/).map { |text| Integer(text) }
    end

    def self.record(type, flags, payload)
      bytes = [payload.bytesize, type, flags, 200, 7].pack("LCCSQ") + payload.b
      bytes.ljust((bytes.bytesize + 15) / 16 * 16, "\0")
    end
    private_class_method :record
  end
end
