# frozen_string_literal: true

require "coppice/errors"

module Coppice
  class CLI
    # The headers that --header adds to the requests of `coppice doctor` and `coppice cold`.
    class RequestHeaders
      FIELD = /\A(?<name>[!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(?<value>[^\x00-\x08\x0a-\x1f\x7f]*?)[ \t]*\z/n.freeze
      # What the command says itself, of each request.
      TAKEN = %w[connection content-length transfer-encoding].freeze

      def initialize
        @fields = {}
      end

      # text: as in a request. Raises UsageError.
      #: (String) -> void
      def add(text)
        field = FIELD.match(text.b) or raise UsageError, "--header takes 'Name: value', not #{shown(text)}"
        name = field[:name].downcase
        raise UsageError, "--header cannot set the host: --host does" if name == "host"
        raise UsageError, "--header cannot set #{field[:name]}" if TAKEN.include?(name)

        @fields[name] = [*@fields[name], field[:value]].join(name == "cookie" ? "; " : ", ")
      end

      # By their names, in small letters.
      #: () -> Hash[String, String]
      def to_h = @fields.dup

      private

      # A value may be a secret.
      def shown(text)
        name = text.scrub("?")[/\A[^:]*/]
        text.include?(":") ? "#{name.inspect} and a value" : name.inspect
      end
    end
  end
end
