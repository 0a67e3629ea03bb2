# frozen_string_literal: true

require "coppice/config/types"

module Coppice
  module Config
    # One option of `listen`. Its default is in Listeners::DEFAULT_OPTIONS.
    ListenOption = Struct.new(:name, :type, :doc, keyword_init: true) do
      def default #: () -> untyped
        Listeners::DEFAULT_OPTIONS.fetch(name)
      end

      # nil means the default, as for Pitchfork.
      #: (untyped) -> untyped
      def check(value)
        value.nil? ? default : type.check(value)
      end
    end
  end
end
