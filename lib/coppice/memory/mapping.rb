# frozen_string_literal: true

require "coppice/memory/rollup"

module Coppice
  module Memory
    # One mapping of a process's address space, from the address `start` to before `finish`; `sizes` is a Rollup.
    # `name` is the mapped file, or the kernel's name in brackets; empty for anonymous memory without a name.
    Mapping = Struct.new(:start, :finish, :permissions, :name, :sizes, keyword_init: true) do
      #: () -> Integer
      def kib = (finish - start) / 1024

      def file? = name.start_with?("/") #: () -> bool
      def unnamed? = name.empty? #: () -> bool
      def executable? = permissions.include?("x") #: () -> bool
      def writable? = permissions.start_with?("rw") #: () -> bool

      # Whether the addresses are only reserved: they cannot be accessed.
      #: () -> bool
      def reserved? = permissions.start_with?("---")

      # Whether any of its pages is in memory or in swap.
      #: () -> bool
      def touched? = touched_kib.positive?

      #: () -> Integer
      def touched_kib = sizes.rss + sizes.swap

      # Whether it starts and ends at multiples of this number of bytes.
      #: (Integer) -> bool
      def aligned?(bytes) = (start % bytes).zero? && (finish % bytes).zero?
    end
  end
end
