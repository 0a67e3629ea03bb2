# frozen_string_literal: true

require "coppice/errors"
require "coppice/config/hooks"
require "coppice/config/listen_options"
require "coppice/config/options"
require "coppice/config/suggestion"

module Coppice
  module Config
    # What a config file says: checked values, each with its place, and hooks. Filled by the words of the Dsl, in the
    # monitor and in each cold mold; frozen when the file has been read. Hooks are only kept, never called.
    class FileValues
      attr_reader :values      #: Hash[Symbol, untyped]
      attr_reader :origins     #: Hash[Symbol, String]
      attr_reader :hooks       #: Hash[Symbol, Proc?]
      attr_reader :file        #: String?  as people call it
      attr_reader :fingerprint #: Integer? changes with the text of the file

      # `path` is what the file is evaluated under, `file` what messages call it.
      #: (?file: String?, ?path: String?, ?fingerprint: Integer?) -> void
      def initialize(file: nil, path: nil, fingerprint: nil)
        @file = file
        @path = path
        @fingerprint = fingerprint
        @values = {}
        @origins = {}
        @hooks = {}
      end

      # `name value`, or a block for options that take one.
      #: (Symbol, Array[untyped], Proc?) -> untyped
      def option(name, arguments, block = nil)
        arguments = [*arguments, block].compact if block
        unless arguments.size == 1
          refuse("#{name} takes one value, but got #{arguments.size}", "For example: #{OPTIONS[name].example}")
        end
        set(name, arguments.first)
      end

      # Sets both limits: a cleanup that is not given is the default, also after an earlier line.
      #: (untyped, Hash[untyped, untyped]) -> void
      def timeout(seconds, keywords)
        known(:timeout, keywords, [:cleanup])
        set(:timeout, seconds)
        set(:timeout_cleanup, keywords.fetch(:cleanup) { OPTIONS[:timeout_cleanup].default })
      end

      # Adds an address, or adds options to one that an earlier line named.
      #: (untyped, Hash[untyped, untyped]) -> void
      def listen(value, keywords)
        known(:listen, keywords, LISTEN_OPTIONS.names)
        options = keywords.to_h { |name, given| [name, listen_option(name, given)] }
        address = described(:listen) { Listeners::Address.parse(value) }
        earlier = @values.fetch(:listen, [])
        same = earlier.find { |other| other.to_s == address.to_s } || address
        keep(:listen, (earlier - [same] + [same.with_options(same.options.merge(options))]).freeze)
      end

      # `name do |…| … end`, or `name callable`; nil takes an earlier block back.
      #: (Symbol, Array[untyped], Proc?) -> void
      def hook(name, arguments, block = nil)
        row = HOOKS[name]
        @hooks[name] = row.check(block || arguments.first)
        @origins[name] = here
      rescue InvalidValue => error
        refuse("#{name} #{error.message}", "For example: #{row.example.sub("\n", ' … ')}")
      end

      # Raises a ConfigError for the line of the file that is being evaluated.
      #: (String, ?String?) -> bot
      def refuse(problem, remedy = nil)
        raise ConfigError.new(problem, file: @file, line: line, remedy: remedy)
      end

      #: () -> self
      def freeze
        [@values, @origins, @hooks].each(&:freeze)
        super
      end

      private

      def set(name, value)
        keep(name, described(name) { OPTIONS[name].type.check(value) })
      end

      def keep(name, value)
        @origins[name] = here
        @values[name] = value
      end

      def listen_option(name, value)
        LISTEN_OPTIONS[name].check(value)
      rescue InvalidValue => error
        refuse("#{name} of listen #{error.message}")
      end

      def described(name)
        yield
      rescue InvalidValue => error
        refuse("#{name} #{error.message}", "For example: #{OPTIONS[name].example.lines.first.chomp}")
      end

      def known(word, keywords, names)
        unknown = keywords.keys.find { |name| !names.include?(name) } or return
        remedy = OPTIONS.names.include?(unknown) ? "It is an option of its own: write it on its own line" : nil
        refuse("#{word} has no option #{unknown}", remedy || Suggestion.sentence(unknown, names) || "It has #{names.join(', ')}")
      end

      def here
        [@file, line].compact.join(":")
      end

      # Words can be used in methods and loops of the file: the innermost line that belongs to it counts.
      def line
        caller_locations.find { |location| location.path == @path }&.lineno
      end
    end
  end
end
