# frozen_string_literal: true

require "coppice/coppice_ext"
require "coppice/errors"
require "coppice/log/text"

module Coppice
  module Control
    # What the client of a guest wants: which program, with which arguments, environment, directory and umask. It
    # travels in a file in memory, from the client to the guest: the monitor and the mold do not read it. Strings with
    # their lengths in front, because arguments may have any bytes, and nothing from outside is read with Marshal.
    #
    #   mode       "program", "code" (of -e) or "console"
    #   program    the path of the program, or the code; "" for the console
    #   terminal   whether one of the standard streams is a terminal made for the guest
    GuestRequest = Struct.new(:mode, :program, :arguments, :environment, :directory, :umask, :terminal,
      keyword_init: true) do
      # Raises Error for what is no request.
      #: (IO) -> GuestRequest
      def self.read(file)
        size = file.stat.size
        raise Error, "a guest's request of #{size} bytes: the limit is #{self::MAX_BYTES}" if size > self::MAX_BYTES

        rest = file.pread(size, 0)
        fields = []
        until rest.empty?
          length = rest.unpack1("N") or raise Error, "a malformed request for a guest"
          text = rest.byteslice(4, length)
          raise Error, "a malformed request for a guest" unless text&.bytesize == length

          fields << text.force_encoding(Encoding.default_external)
          rest = rest.byteslice((4 + length)..)
        end
        parse(fields)
      end

      def self.parse(fields)
        mode, program, directory, umask, terminal, count, *rest = fields
        count = Integer(count.to_s, 10)
        variables = rest.drop(count)
        raise ArgumentError, "odd" if count > rest.size || variables.size.odd?

        new(mode: mode, program: mode == "code" ? utf8_without_locale(program) : program, directory: directory,
          umask: Integer(umask, 8), terminal: terminal == "1", environment: variables.each_slice(2).to_h,
          arguments: rest.first(count).map { |text| utf8_without_locale(text) })
      rescue ArgumentError
        raise Error, "a malformed request for a guest"
      end

      # A server without a locale takes every text for ASCII, and Ruby refuses code with other bytes. It is UTF-8, as it
      # would be for the client's own Ruby. A path is not changed: it could not be joined with those of this process.
      def self.utf8_without_locale(text)
        return text unless text.encoding == Encoding::US_ASCII

        utf8 = text.dup.force_encoding(Encoding::UTF_8)
        utf8.valid_encoding? ? utf8 : text
      end

      private_class_method :parse, :utf8_without_locale

      #: () -> File
      def to_file
        strings = [mode, program, directory, umask.to_s(8), terminal ? "1" : "0", arguments.size.to_s, *arguments,
                   *environment.to_a.flatten]
        file = File.for_fd(OS.memory_file("coppice-guest"), "w+b")
        file.sync = true
        file.write(strings.map { |text| [text.bytesize].pack("N") + text.b }.join)
        file
      end

      # In a line of the log, or of `ps`.
      #: () -> String
      def summary
        words = { "code" => ["-e", program], "console" => ["console"] }.fetch(mode) { [program] }
        [*words, *arguments].map { |word| Log::Text.utf8(word) }.join(" ").scrub("?").gsub(/[[:cntrl:]]+/, " ")
      end
    end

    # More than the kernel lets a process have as arguments and environment with usual limits.
    GuestRequest::MAX_BYTES = 8 * 1024 * 1024
  end
end
