# frozen_string_literal: true

module Coppice
  module Rails
    # Loaded with the gem in an application of Rails. `rails server` and `rackup` then take Coppice without being told,
    # where the bundle has no other server that they would take.
    class Railtie < ::Rails::Railtie
      OTHERS = %w[puma falcon].freeze

      # The variable by which `rackup` finds its default server: that of Rack 3, or of Rack 2.
      #: () -> String
      def self.variable = Gem.loaded_specs["rack"].version.segments.first < 3 ? "RACK_HANDLER" : "RACKUP_HANDLER"

      ENV[variable] ||= "coppice" if OTHERS.none? { |name| Gem.loaded_specs.key?(name) }
    end
  end
end
