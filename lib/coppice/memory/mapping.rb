# frozen_string_literal: true

module Coppice
  module Memory
    # One stretch of a process's address space, as the kernel lists it: from the address `start` to before `finish`, sizes in
    # KiB. `name` is the file behind it, or the kernel's name in brackets; empty for anonymous memory that nobody named.
    Mapping = Struct.new(:start, :finish, :permissions, :name, :sizes, keyword_init: true) do
      #: () -> Integer
      def kib = (finish - start) / 1024

      def file? = name.start_with?("/") #: () -> bool
      def unnamed? = name.empty? #: () -> bool
      def executable? = permissions.include?("x") #: () -> bool
      def writable? = permissions.start_with?("rw") #: () -> bool

      # Addresses that are only kept free: nothing can be there.
      #: () -> bool
      def reserved? = permissions.start_with?("---")

      # Whether something of it is in memory or in swap.
      #: () -> bool
      def touched? = touched_kib.positive?

      #: () -> Integer
      def touched_kib = sizes.rss + sizes.swap

      # Whether it begins and ends at multiples of so many bytes.
      #: (Integer) -> bool
      def aligned?(bytes) = (start % bytes).zero? && (finish % bytes).zero?
    end
  end
end
