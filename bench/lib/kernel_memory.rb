# frozen_string_literal: true

module Bench
  # Memory that the kernel needs for processes, which is in nobody's PSS.
  module KernelMemory
    MIB = 1024.0 * 1024

    # Of the page tables of these processes.
    #: (ProcessTree) -> Float
    def self.page_tables_mib(tree) = tree.sum { |entry| page_tables_kib(entry.pid) } / 1024.0

    # Of the objects that say which processes map an anonymous page, of the whole machine: each fork adds some for each
    # mapping. nil if they may not be read, which needs root.
    #: () -> Float?
    def self.anon_vma_mib
      lines = File.readlines("/proc/slabinfo").grep(/\Aanon_vma(_chain)? /)
      lines.map(&:split).sum { |_name, _active, count, bytes| count.to_i * bytes.to_i } / MIB
    rescue SystemCallError
      nil
    end

    def self.page_tables_kib(pid)
      File.read("/proc/#{pid}/status")[/^VmPTE:\s+(\d+)/, 1].to_i
    rescue SystemCallError
      0 # it exited after the tree was read
    end
    private_class_method :page_tables_kib
  end
end
