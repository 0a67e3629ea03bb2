# frozen_string_literal: true

require_relative "process_tree"

module Bench
  # The memory of one process. `sizes` has the kernel's sums, `kinds` the private MiB of each kind.
  Size = Struct.new(:entry, :sizes, :kinds, keyword_init: true) do
    #: () -> Float
    def pss_mib = sizes.pss / 1024.0

    #: () -> Float the share of its resident pages that other processes map as well
    def shared_percent = sizes.rss.zero? ? 0.0 : 100.0 * sizes.shared / sizes.rss

    #: () -> Float
    def private_mib = sizes.private / 1024.0
  end

  # The memory of each process of a tree at one moment. Coppice's own reader of mappings (Library) recognizes kinds of
  # memory in every process that runs Ruby.
  class MemoryMap
    QUIET_SECONDS = 2
    QUIET_TIMEOUT = 30 # seconds

    # Waits until no process has started or exited for a while, so that a refork which the last requests started is
    # over.
    #: (RunningServer) -> void
    def self.wait_until_quiet(server)
      deadline = Bench.now + QUIET_TIMEOUT
      pids = nil
      since = Bench.now
      until Bench.now - since > QUIET_SECONDS || Bench.now > deadline
        current = server.tree.pids.sort
        since, pids = Bench.now, current if current != pids
        sleep 0.1
      end
    end

    #: (ProcessTree) -> MemoryMap
    def self.of(tree) = new(tree.filter_map { |entry| size(entry) })

    # The sum alone, which takes the kernel much less time.
    #: (ProcessTree) -> Float
    def self.total_mib(tree)
      kib = tree.sum do |entry|
        Coppice::Memory::Rollup.of(entry.pid).pss
      rescue Errno::ENOENT, Errno::ESRCH
        0 # it exited after the tree was read
      end
      kib / 1024.0
    end

    #: (ProcessEntry) -> Size?
    def self.size(entry)
      Size.new(entry: entry, sizes: Coppice::Memory::Rollup.of(entry.pid), kinds: private_by_kind(entry))
    rescue Errno::ENOENT, Errno::ESRCH
      nil # it exited after the tree was read
    end

    def self.private_by_kind(entry)
      found = Coppice::Memory::MappingKinds.new(Coppice::Memory::Smaps.of(entry.pid)).to_h
      found.transform_values { |mappings| mappings.sum { |mapping| mapping.sizes.private } / 1024.0 }
    end
    private_class_method :size, :private_by_kind

    attr_reader :sizes #: Array[Size]

    #: (Array[Size]) -> void
    def initialize(sizes)
      @sizes = sizes
    end

    #: () -> Float
    def total_mib = sizes.sum(&:pss_mib)

    #: () -> Array[Size]
    def workers = sizes.select { |size| size.entry.worker? }

    # Number of reforks so far. Pitchfork waits at least 10 s between two reforks, so a short run may show fewer reforks
    # than the list of request counts has. nil if there is no mold.
    #: () -> Integer?
    def generation = sizes.map(&:entry).find(&:mold?)&.generation
  end
end
