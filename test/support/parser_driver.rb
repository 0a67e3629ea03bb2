# frozen_string_literal: true

require "open3"
require_relative "c_program"

module Coppice
  # Runs the request parser and the chunk decoder in a C program of their own, without a Ruby heap but with sanitizers
  # and an unreadable page behind each input (test/fuzz). The program reads every input whole, split at each boundary
  # and byte by byte, and aborts when the outcomes differ: then this raises Failed.
  class ParserDriver
    # The program could not be built, or found a difference or a memory error.
    class Failed < StandardError; end

    HEAD_LIMITS = { request_line_bytes: 15 * 1024, header_bytes: 112 * 1024, field_capacity: 128 }.freeze
    BODY_LIMITS = { body_bytes: (2**64) - 1, line_bytes: 4096, extension_bytes: 16 * 1024, trailer_bytes: 16 * 1024,
                    trailer_count: 64 }.freeze

    # test/fuzz/replay_test.rb looks for leaks of the same code. That takes longer than all else that one run does.
    ENVIRONMENT = CProgram.without_leak_search
    private_constant :ENVIRONMENT

    # What became of one input. Numbers are Integers, pieces of a head and decoded data Strings, fields pairs of
    # Strings.
    class Outcome
      attr_reader :result, :reason, :fields #: Symbol, String, Array[[String, String]]

      def initialize(line, bytes) #: (String, String) -> void
        facts, @reason = line.chomp.split(" reason=", 2)
        pairs = facts.split.map { |fact| fact.split("=", 2) }
        @bytes = bytes
        @fields = pairs.filter_map { |key, value| field(value) if key == "field" }
        @facts = pairs.to_h
        @result = @facts.fetch("result").to_sym
      end

      def [](key) #: (Symbol) -> (Integer | String)
        value = @facts.fetch(key.to_s)
        return [value].pack("H*") if key == :data

        value.include?(",") ? piece(*value.split(",")) : Integer(value)
      end

      def status = self[:status] #: () -> Integer

      private

      def piece(offset, length)
        @bytes.byteslice(Integer(offset), Integer(length))
      end

      def field(value)
        value.split(",").each_slice(2).map { |offset, length| piece(offset, length) }
      end
    end

    # Reads each of these as a request head.
    def heads(inputs, **limits) #: (Array[String], **Integer) -> Array[Outcome]
      run("head", inputs, HEAD_LIMITS.merge(limits).values)
    end

    # Reads each of these as a chunked body.
    def bodies(inputs, **limits) #: (Array[String], **Integer) -> Array[Outcome]
      run("chunked", inputs, BODY_LIMITS.merge(limits).values)
    end

    private

    def run(kind, inputs, numbers)
      cases = inputs.map { |bytes| "#{[kind, bytes.bytesize, *numbers].join(' ')}\n".b << bytes.b }
      output, errors, status = Open3.capture3(ENVIRONMENT, program, stdin_data: cases.join, binmode: true)
      lines = output.lines
      unless status.success? && lines.size == inputs.size
        raise Failed, "#{errors}\nafter #{lines.size} inputs, at #{inputs[lines.size]&.b&.slice(0, 500).inspect}"
      end

      lines.zip(inputs).map { |line, bytes| Outcome.new(line, bytes.b) }
    end

    def program
      @program ||= CProgram.new("parser_driver", "test/fuzz/{parser_driver,harness}.c",
        "ext/coppice/http/*.c").path
    end
  end
end
