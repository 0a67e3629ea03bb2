# frozen_string_literal: true

require "stringio"
require "tempfile"
require "coppice/http/input_file"
require "coppice/http/null_input"
require "coppice/http/rack2_streaming_input"
require "coppice/http/streaming_input"

module Coppice
  module Http
    # Gives each request its rack.input. There is one in each worker. It reads a rewindable input to its end before the
    # application is called: a small one into memory, a large one into a file without a name. A large one that the lobby
    # has read is in a file already.
    class InputReader
      # How much is copied to the file at a time.
      COPY_BYTES = 64 * 1024

      # rack2: whether the application may demand what only Rack 2 does.
      #: (Connection, Config::Settings, rack2: bool) -> void
      def initialize(connection, settings, rack2:)
        @connection = connection
        @rewindable = settings.rewindable_input
        @streaming_input = rack2 ? Rack2StreamingInput : StreamingInput
        @memory_bytes = settings.client_body_buffer_size
        @directory = settings.buffer_directory
        @nothing = NullInput.new
      end

      # Raises ClientGone and RequestRefused.
      #: (Hash[String, untyped]) -> (NullInput | StreamingInput | StringIO | InputFile)
      def open(env)
        return @nothing unless @connection.body?

        if (descriptor = descriptor_of_file) then received_file(descriptor, env)
        elsif !@rewindable then @streaming_input.new(@connection)
        else @connection.content_length ? sized : decoded(env)
        end
      end

      # The request has ended: its input is closed, so that nothing of it can be read in the next request.
      #: (NullInput | StreamingInput | StringIO | InputFile) -> void
      def release(input)
        input.close unless input.equal?(@nothing) || input.is_a?(StringIO)
      rescue SystemCallError # closed by another object, or what the application has written to it finds no room
        nil
      end

      private

      def sized
        length = @connection.content_length
        length > @memory_bytes ? file(nil) : StringIO.new(@connection.read_body(length))
      end

      # The application gets a body without chunks, with its length.
      def decoded(env)
        start = @connection.read_body(@memory_bytes + 1) || String.new
        input = @connection.body? ? file(start) : StringIO.new(start)
        input.tap { describe_decoded(env, input) }
      end

      def descriptor_of_file
        @connection.body_file
      rescue SystemCallError => error # no descriptor is left
        refuse(error)
      end

      def received_file(descriptor, env)
        file = InputFile.for_fd(descriptor, "r+b")
        describe_decoded(env, file) unless @connection.content_length
        file
      end

      def describe_decoded(env, input)
        env["CONTENT_LENGTH"] = input.size.to_s
        env.delete("HTTP_TRANSFER_ENCODING")
      end

      def file(start)
        file = InputFile.for_fd(nameless_file, "r+b")
        append(file, start) if start
        piece = String.new(capacity: COPY_BYTES)
        append(file, piece) while @connection.read_body(COPY_BYTES, piece)
        file.rewind
        done = file
      rescue SystemCallError => error # no space, descriptor, permission, or directory for it
        refuse(error)
      ensure
        file&.close unless done
      end

      def refuse(error)
        raise RequestRefused.new(507, "the body cannot be kept"), cause: error
      end

      # Not with IO#write: in Ruby 3.4 that leaves its argument shared, so that reading the next piece into it makes
      # a copy, and 70 MiB of them wait for the garbage collector (test/integration/large_bodies_test.rb).
      def append(file, bytes)
        written = file.syswrite(bytes)
        written += file.syswrite(bytes.byteslice(written..)) while written < bytes.bytesize # the disk is nearly full
      end

      # Returns its descriptor.
      def nameless_file
        return unlinked_file unless File.const_defined?(:TMPFILE) # only Linux has it

        IO.sysopen(directory, File::RDWR | File::TMPFILE, 0o600)
      rescue Errno::EOPNOTSUPP, Errno::EISDIR, Errno::ENOENT # a file system without O_TMPFILE
        unlinked_file
      end

      def unlinked_file
        file = Tempfile.create("coppice-body", directory)
        File.unlink(file.path)
        file.autoclose = false
        file.fileno
      end

      # Not Dir.tmpdir, which takes none where others may rename files, such as a volume of Kubernetes: these have no
      # names.
      def directory
        folder = ENV.fetch("TMPDIR", "/tmp")
        @directory || (File.writable?(folder) ? folder : "/tmp")
      end
    end
  end
end
