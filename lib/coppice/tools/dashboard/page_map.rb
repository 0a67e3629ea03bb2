# frozen_string_literal: true

module Coppice
  class Dashboard
    # The page map of one worker, by its pid.
    module PageMap
      # nil when it has exited meanwhile.
      #: (pid: Integer, slot: Integer, generation: Integer) -> String?
      def self.of(pid:, slot:, generation:)
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
