# frozen_string_literal: true

require "coppice/tools/memory/server_memory"

# Measurements that nobody made: of a monitor, a mold and two workers.
module MeasuredFamily
  class << self
    #: () -> Coppice::Memory::ServerMemory
    def server
      Coppice::Memory::ServerMemory.new([
        measurement(13, :worker, nr: 1, requests: 7, private: 30 * 1024, growth: 20 * 1024),
        measurement(12, :worker, nr: 0, requests: 0, private: 10 * 1024),
        measurement(11, :mold, private: 5 * 1024),
        measurement(10, :monitor, generation: nil, private: 100 * 1024)
      ])
    end

    #: (Integer, Symbol, **untyped) -> Coppice::Memory::ProcessMemory
    def measurement(pid, role, private:, nr: nil, generation: 2, requests: nil, growth: nil)
      heap = rollup(private)
      kinds = Coppice::Memory::MappingKinds::NAMES.keys.to_h { |kind| [kind, kind == :gc_heap ? heap : rollup(0, 0)] }
      Coppice::Memory::ProcessMemory.new(pid: pid, role: role, nr: nr, generation: generation, requests: requests,
        sizes: heap, kinds: kinds, growth: growth)
    end

    private

    # Of 100 MiB, shared by two where not private.
    def rollup(private_kib, rss = 100 * 1024)
      shared = rss - private_kib
      Coppice::Memory::Rollup.new(rss: rss, pss: private_kib + (shared / 2), shared: shared, private: private_kib,
        anonymous: rss, swap: 0)
    end
  end
end
