# frozen_string_literal: true

module Coppice
  module ForkSafety
    # The threads of this process that the kernel knows: those of Ruby, and those that native libraries have started.
    # The latter outlive the Ruby objects of their library, and do not exist in a copy of this process.
    module NativeThreads
      class << self
        #: () -> Array[Integer]
        def ids = Dir.children("/proc/self/task").map(&:to_i)

        # At most 15 bytes: the kernel keeps no more. nil if the thread has ended.
        #: (Integer) -> String?
        def name_of(id)
          File.read("/proc/self/task/#{id}/comm").chomp
        rescue SystemCallError
          nil
        end

        # Whether one has a name that begins so.
        #: (String) -> bool
        def any?(beginning) = ids.any? { |id| name_of(id)&.start_with?(beginning) }
      end
    end
  end
end
