# frozen_string_literal: true

require "coppice/coppice_ext"

module Coppice
  class Monitor
    # What a lobby shares with all workers. Owned by the handle of that lobby.
    LobbyMemory = Struct.new(:requests, :queue, :eventfd, keyword_init: true) do
      # The lobby seals them: their size, and of the requests that anybody else writes. Raises SystemCallError.
      #: () -> LobbyMemory
      def self.make
        memory = new
        memory.requests = File.for_fd(OS.memory_file("coppice-requests", true), "r+b")
        memory.queue = File.for_fd(OS.memory_file("coppice-queue", true), "r+b")
        memory.eventfd = IO.for_fd(OS.eventfd)
        memory
      rescue SystemCallError
        memory&.close
        raise
      end

      #: () -> void
      def close = to_a.compact.each(&:close)
    end
  end
end
