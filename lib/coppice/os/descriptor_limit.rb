# frozen_string_literal: true

module Coppice
  module OS
    # How many descriptors this process may have (RLIMIT_NOFILE).
    module DescriptorLimit
      # Raises the soft limit to this number, or as far as the hard one allows. Returns the soft limit, which is higher
      # where it was higher before. Processes that this one spawns get it as well.
      #: (Integer) -> Integer
      def self.raise_to(number)
        soft, hard = Process.getrlimit(:NOFILE)
        wanted = [hard, number].min
        return soft if soft >= wanted

        Process.setrlimit(:NOFILE, wanted, hard)
        wanted
      end
    end
  end
end
