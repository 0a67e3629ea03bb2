# frozen_string_literal: true

require "json"
require "coppice/log/text"

module Coppice
  class Dashboard
    # Statistics as JSON. Clients choose the texts in them: bytes that are no UTF-8 are replaced, and what follows a `?`
    # is left out, because queries carry tokens and personal data.
    module JsonText
      # The keys whose values are a method and a path.
      REQUEST = %i[request].freeze

      #: (untyped) -> String
      def self.of(value) = JSON.generate(presentable(value))

      def self.presentable(value)
        case value
        when Hash then value.to_h { |key, inner| [key, REQUEST.include?(key) ? request(inner) : presentable(inner)] }
        when Array then value.map { |inner| presentable(inner) }
        when String then Log::Text.valid(value)
        when Float then value.finite? ? value : nil # JSON has no infinity
        else value
        end
      end
      private_class_method :presentable

      def self.request(text) = text && Log::Text.valid(text).partition("?").first
      private_class_method :request
    end
  end
end
