# frozen_string_literal: true

module Coppice
  module Http
    # The head of a request that Coppice makes itself.
    module RequestHead
      # own: headers that replace those of the same name among the others.
      #: (String, String, Hash[String, untyped], Hash[untyped, String]) -> String
      def self.text(method, path, fields, own)
        own = own.transform_keys(&:to_s)
        names = own.keys.map(&:downcase)
        fields = fields.reject { |name, _| names.include?(name.downcase) }.merge(own)
        "#{method} #{path} HTTP/1.1\r\n#{fields.map { |name, value| "#{name}: #{value}\r\n" }.join}\r\n"
      end
    end
  end
end
