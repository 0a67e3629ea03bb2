# frozen_string_literal: true

require_relative "process_tree"

module Bench
  # The memory of one process, in bytes, as the kernel sums it up.
  Size = Struct.new(:entry, :pss, :rss, :shared, keyword_init: true) do
    #: () -> Float the part of its resident pages that other processes have mapped too
    def shared_percent = rss.zero? ? 0.0 : 100.0 * shared / rss

    #: () -> Float
    def private_mib = (rss - shared) / (1024.0 * 1024)
  end

  # What each process of a tree weighs at one moment.
  class MemoryMap
    QUIET_SECONDS = 2
    QUIET_TIMEOUT = 30

    # Waits until no process has come or gone for a while: a refork that the last requests have begun is then over.
    #: (RunningServer) -> void
    def self.wait_until_quiet(server)
      deadline = now + QUIET_TIMEOUT
      pids = nil
      since = now
      until now - since > QUIET_SECONDS || now > deadline
        current = server.tree.pids.sort
        since, pids = now, current if current != pids
        sleep 0.1
      end
    end

    def self.now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    private_class_method :now

    #: (ProcessTree) -> MemoryMap
    def self.of(tree) = new(tree.filter_map { |entry| size(entry) })

    #: (ProcessEntry) -> Size?
    def self.size(entry)
      kilobytes = File.foreach("/proc/#{entry.pid}/smaps_rollup").to_h { |line| [line[/\A\w+/], line[/(\d+) kB/, 1].to_i * 1024] }
      Size.new(entry: entry, pss: kilobytes["Pss"], rss: kilobytes["Rss"],
        shared: kilobytes["Shared_Clean"] + kilobytes["Shared_Dirty"])
    rescue Errno::ENOENT, Errno::ESRCH
      nil # it has ended since the tree was read
    end
    private_class_method :size

    attr_reader :sizes #: Array[Size]

    #: (Array[Size]) -> void
    def initialize(sizes)
      @sizes = sizes
    end

    #: () -> Float
    def total_mib = sizes.sum(&:pss) / (1024.0 * 1024)

    #: () -> Array[Size]
    def workers = sizes.select { |size| size.entry.worker? }

    # How often the server has reforked: the limits of a refork are counts of requests, but Pitchfork also waits 10 s
    # between two of them, so that a short run may see fewer than were asked for. nil where there is no mold.
    #: () -> Integer?
    def generation = sizes.map(&:entry).find(&:mold?)&.generation
  end
end
