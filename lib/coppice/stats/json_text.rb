# frozen_string_literal: true

require "json"
require "coppice/log/text"

module Coppice
  class Stats
    # Statistics as JSON. Clients choose the texts in them: bytes that are no UTF-8 are replaced, and what follows a `?`
    # in a request is left out, because queries carry tokens and personal data.
    module JsonText
      #: (untyped) -> String
      def self.of(value) = JSON.generate(presentable(value))

      def self.presentable(value)
        case value
        when Hash then value.to_h { |key, inner| [key, presentable(query?(key, value) ? path_of(inner) : inner)] }
        when Array then value.map { |inner| presentable(inner) }
        when String then Log::Text.valid(value)
        when Float then value.finite? ? value : nil # JSON has no infinity
        else value
        end
      end
      private_class_method :presentable

      # Whether a query may be in the value: that of a guest is no request but its program.
      def self.query?(key, entry) = key == :request && entry[:role] != "guest"
      private_class_method :query?

      def self.path_of(request) = request && Log::Text.valid(request).partition("?").first
      private_class_method :path_of
    end
  end
end
