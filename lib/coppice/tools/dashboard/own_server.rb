# frozen_string_literal: true

require "coppice/info"

module Coppice
  class Dashboard
    # What a dashboard in an application shows: the server that the application runs in. Outside of a server it is
    # empty.
    module OwnServer
      NO_HISTORY = { seq: 0, interval: 2.0, names: [].freeze, records: [].freeze }.freeze

      class << self
        #: () -> Hash[Symbol, untyped]
        def stats = Info.stats.to_h # nil.to_h is empty

        #: (Integer) -> Hash[Symbol, untyped]
        def history(since) = Info.stats&.history(since: since) || NO_HISTORY

        # The worker's memory, page by page, as SVG; nil when there is no worker in that slot. Raises Errno::EACCES when
        # this user may not read its pages. Takes some milliseconds for 100 MiB.
        #: (Integer) -> String?
        def page_map(slot)
          worker = stats.fetch(:processes, []).find { |process| process[:role] == "worker" && process[:slot] == slot }
          worker && picture_of(**worker.slice(:pid, :slot, :generation))
        end

        private

        # nil when it has exited meanwhile. What it takes is loaded when somebody asks.
        def picture_of(pid:, slot:, generation:)
          require "coppice/tools/memory/process_memory"
          require "coppice/tools/memory/address_space"
          require "coppice/tools/memory/picture"
          measured = Memory::ProcessMemory.of(pid: pid, role: :worker, nr: slot, generation: generation)
          space = measured && Memory::AddressSpace.of(measured)
          Memory::Picture.new([space]).to_s if space
        end
      end
    end
  end
end
