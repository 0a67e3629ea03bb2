# frozen_string_literal: true

require "test_helper"
require "tempfile"
require "coppice/control/guest_request"

module Coppice
  module Control
    class GuestRequestTest < TestCase
      def request(**values)
        GuestRequest.new(mode: "program", program: "bin/rails", arguments: [], environment: {}, directory: "/",
          umask: 0o22, terminal: false, **values)
      end

      def read(bytes)
        Tempfile.create("request") do |file|
          file.binmode.write(bytes)
          file.flush
          GuestRequest.read(file)
        end
      end

      def fields(*texts) = texts.map { |text| [text.bytesize].pack("N") + text.b }.join

      test "what was written is read, whatever its bytes" do
        sent = request(arguments: ["", "\xFF\n", "ü" * 100_000], environment: { "A" => "", "\xFE" => "b=c" },
          terminal: true, umask: 0o777)
        file = sent.to_file

        assert_equal sent.to_h.transform_values { |value| bytes(value) },
          GuestRequest.read(file).to_h.transform_values { |value| bytes(value) }
      ensure
        file&.close
      end

      test "code and arguments are UTF-8 where the server has no locale, unless malformed; paths are not" do
        sent = request(mode: "code", program: "puts 'é'", arguments: ["ü", "\xFF"], directory: "/ö")
        named = request(program: "bin/é", arguments: ["ü"])
        code, program = Encoding.stub(:default_external, Encoding::US_ASCII) do
          [sent, named].map { |one| one.to_file.then { |file| GuestRequest.read(file).tap { file.close } } }
        end

        assert_equal ["puts 'é'", "ü"], [code.program, code.arguments.first]
        assert_equal [Encoding::US_ASCII] * 3, [code.arguments.last, code.directory, program.program].map(&:encoding)
        assert_equal ["-e puts 'é' ü ?", "bin/é ü"], [code.summary, program.summary]
      end

      def bytes(value)
        case value
        when String then value.b
        when Array then value.map(&:b)
        when Hash then value.to_h { |name, text| [name.b, text.b] }
        else value
        end
      end

      test "what is no request is refused, and nothing of it is run" do
        ["", "\0", "\0\0\0\x09short", fields("program"), fields("program", "x", "/", "9", "0", "0"),
         fields("program", "x", "/", "22", "0", "5", "a"), fields("program", "x", "/", "22", "0", "0", "odd"),
         fields("program", "x", "/", "22", "0", "-1"), Marshal.dump({ mode: "code" })].each do |bytes|
          assert_raises(Error, bytes.inspect) { read(bytes) }
        end
      end

      test "a summary is one line" do
        assert_equal "bin/rails console", request(arguments: ["console"]).summary
        code = request(mode: "code", program: "puts 1\n\eputs 2", arguments: ["a"])

        assert_equal "-e puts 1 puts 2 a", code.summary
        assert_equal "console", request(mode: "console", program: "").summary
      end
    end
  end
end
