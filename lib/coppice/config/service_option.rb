# frozen_string_literal: true

require "coppice/config/types"

module Coppice
  module Config
    # One option of `service`.
    ServiceOption = Struct.new(:name, :type, :default, :doc, keyword_init: true) do
      # The default as a text, with its unit.
      def default_description = [default.inspect, (type.unit unless default.nil?)].compact.join(" ") #: () -> String
    end
  end
end
