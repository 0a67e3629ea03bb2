# frozen_string_literal: true

module Coppice
  module Rackup
    # tmp/restart.txt: to touch it, as `bin/rails restart` does, starts the server again.
    class RestartFile
      PATH = "tmp/restart.txt"

      # Seconds between two looks at the file. It does nothing else, so it costs nothing that could be measured.
      INTERVAL = 1

      # Calls the block once, on a thread of its own, when the file is touched.
      #: () { () -> void } -> RestartFile
      def self.watch(&block) = new(PATH, INTERVAL).tap { |file| file.watch(&block) }

      #: (String, Numeric) -> void
      def initialize(path, interval)
        @path = File.expand_path(path) # the application may change the directory
        @interval = interval
        @before = modified_at
      end

      #: () { () -> void } -> Thread
      def watch(&block)
        Thread.new do
          Kernel.sleep(@interval) until touched?
          block.call
        end.tap { |thread| thread.name = "coppice restart" }
      end

      # Whether the file was touched after the watch began.
      #: () -> bool
      def touched? = modified_at != @before

      private

      # nil while there is no file. One that is removed was not touched.
      def modified_at
        File.mtime(@path)
      rescue Errno::ENOENT
        @before
      end
    end
  end
end
