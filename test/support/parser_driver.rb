# frozen_string_literal: true

require "digest"
require "fileutils"
require "open3"
require "rbconfig"

module Coppice
  # Runs the request parser and the chunk decoder in a C program of their own, without a Ruby heap but with sanitizers
  # and an unreadable page behind each input (test/fuzz). The program reads every input whole, split at each boundary
  # and byte by byte, and aborts when the outcomes differ: then this raises Failed.
  class ParserDriver
    # The program could not be built, or found a difference or a memory error.
    class Failed < StandardError; end

    ROOT = File.expand_path("../..", __dir__)
    HEAD_LIMITS = { request_line_bytes: 15 * 1024, header_bytes: 112 * 1024, field_capacity: 128 }.freeze
    BODY_LIMITS = { body_bytes: (2**64) - 1, line_bytes: 4096, extension_bytes: 16 * 1024, trailer_bytes: 16 * 1024,
                    trailer_count: 64 }.freeze
    WARNINGS = %w[-std=c11 -g -O1 -Wall -Wextra -Werror].freeze
    SANITIZERS = %w[-fsanitize=address,undefined -fno-sanitize-recover=all].freeze
    private_constant :ROOT, :WARNINGS, :SANITIZERS

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
      output, errors, status = Open3.capture3(program, stdin_data: cases.join, binmode: true)
      lines = output.lines
      unless status.success? && lines.size == inputs.size
        raise Failed, "#{errors}\nafter #{lines.size} inputs, at #{inputs[lines.size]&.b&.slice(0, 500).inspect}"
      end

      lines.zip(inputs).map { |line, bytes| Outcome.new(line, bytes.b) }
    end

    # Built once for each state of the sources; renamed into place, since test files run side by side.
    def program
      @program ||= begin
        path = File.join(ROOT, "tmp/parser_driver", digest)
        build(path) unless File.executable?(path)
        path
      end
    end

    def build(path)
      FileUtils.mkdir_p(File.dirname(path))
      unfinished = "#{path}.#{Process.pid}"
      compile(unfinished, SANITIZERS) || compile(unfinished, []) or raise Failed, @complaint
      File.rename(unfinished, path)
    end

    # A compiler without sanitizers still checks the verdicts and the guard page.
    def compile(path, options)
      command = [compiler, *WARNINGS, *options, "-Iext/coppice", "-o", path, *sources.grep(/\.c\z/)]
      @complaint, status = Open3.capture2e(*command, chdir: ROOT)
      status.success?
    end

    def compiler
      ENV.fetch("CC") { RbConfig::CONFIG.fetch("CC") }.split.first
    end

    def sources
      Dir.glob(["test/fuzz/{parser_driver,harness}.[ch]", "ext/coppice/{http_*,chunked*}.[ch]"], base: ROOT).sort
    end

    def digest
      texts = sources.map { |source| File.read(File.join(ROOT, source)) }
      Digest::SHA256.hexdigest([compiler, WARNINGS, SANITIZERS, *texts].join("\0"))[0, 16]
    end
  end
end
