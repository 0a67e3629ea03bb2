# frozen_string_literal: true

module Coppice
  module TestReforks
    # Has SimpleCov save what the later generations covered: the last one has the counts of all before it. The first
    # process merges them with its own, as it merges those of other test commands.
    module Coverage
      #: (Integer) -> void
      def self.save(generation)
        return unless defined?(::SimpleCov) && ::SimpleCov.running

        ::SimpleCov.command_name("#{::SimpleCov.command_name} (generation #{generation})")
        ::SimpleCov.result
      end
    end
  end
end
