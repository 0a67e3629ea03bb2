# frozen_string_literal: true

require "coppice/errors"

module Coppice
  class Monitor
    # The monitor's working directory, which all that it spawns inherits: its home is the directory of the release that
    # runs. While a hook is in a block of Dir.chdir, on a thread of its own, Ruby lets no other thread go anywhere
    # (RuntimeError).
    class WorkingDirectory
      #: (String) -> void
      def initialize(home)
        @home = home
        @elsewhere = false
      end

      # From now on this is home: goes there, as return_home does.
      #: (String) -> void
      def move(home)
        @home = home
        @elsewhere = true
        return_home
      end

      # Goes home if it is elsewhere; where a hook forbids it, one of the next calls does. Raises SystemCallError when
      # home is gone: then it stays where it is.
      #: () -> void
      def return_home
        return unless @elsewhere

        Dir.chdir(@home)
        @elsewhere = false
      rescue SystemCallError
        @elsewhere = false
        raise
      rescue RuntimeError
        nil
      end

      # Runs the block in a directory, then goes back. Raises Error where a hook forbids to go there. Dir.chdir with a
      # block would ask for the name of the present directory, which may have been removed.
      #: [T] (String) { () -> T } -> T
      def within(directory)
        present, elsewhere = Dir.open("."), @elsewhere
        @elsewhere = true
        go_to(directory)
        yield
      ensure
        @elsewhere = elsewhere if go_back(present)
      end

      private

      def go_to(directory)
        Dir.chdir(directory)
      rescue RuntimeError
        raise Error, "a hook of the server is in a block of Dir.chdir, which lets nothing else go to #{directory}"
      end

      def go_back(present)
        Dir.chdir("/proc/self/fd/#{present.fileno}")
        true
      rescue RuntimeError
        false # see return_home
      ensure
        present.close
      end
    end
  end
end
