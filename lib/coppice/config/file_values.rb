# frozen_string_literal: true

require "coppice/errors"
require "coppice/config/hooks"
require "coppice/config/listen_options"
require "coppice/config/options"
require "coppice/config/suggestion"

module Coppice
  module Config
    # What a configuration file sets: checked values, each with its origin, and hooks. The Dsl's methods fill it while
    # the file is evaluated, in the monitor and in each cold mold; then it is frozen. Hooks are only kept, never
    # called.
    class FileValues
      attr_reader :values      #: Hash[Symbol, untyped]
      attr_reader :origins     #: Hash[Symbol, String]
      attr_reader :hooks       #: Hash[Symbol, Proc?]
      attr_reader :file        #: String?  its name in messages
      attr_reader :fingerprint #: Integer? of the text of the file

      # `path` is the name that the file is evaluated under, `file` its name in messages.
      #: (?file: String?, ?path: String?, ?fingerprint: Integer?) -> void
      def initialize(file: nil, path: nil, fingerprint: nil)
        @file = file
        @path = path
        @fingerprint = fingerprint
        @values = {}
        @origins = {}
        @hooks = {}
      end

      # Sets an option: `name value`, or `name { … }` for an option that takes a block.
      #: (Symbol, Array[untyped], ?Proc?) -> untyped
      def option(name, arguments, block = nil)
        arguments = [*arguments, block].compact if block
        unless arguments.size == 1
          refuse("#{name} takes one value, but got #{arguments.size}", "For example: #{OPTIONS[name].example}")
        end
        set(name, arguments.first)
      end

      # Sets both limits. Without `cleanup:` the default applies, also after an earlier line that had it.
      #: (untyped, Hash[untyped, untyped]) -> void
      def timeout(seconds, keywords)
        refuse_unknown(:timeout, keywords, [:cleanup])
        set(:timeout, seconds)
        set(:timeout_cleanup, keywords.fetch(:cleanup) { OPTIONS[:timeout_cleanup].default })
      end

      # Adds an address, or adds options to an address of an earlier line.
      #: (untyped, Hash[untyped, untyped]) -> void
      def listen(value, keywords)
        refuse_unknown(:listen, keywords, LISTEN_OPTIONS.names)
        options = keywords.to_h { |name, given| [name, listen_option(name, given)] }
        address = explaining(:listen) { Listeners::Address.parse(value) }
        earlier = @values.fetch(:listen, [])
        same = earlier.find { |other| other.to_s == address.to_s } || address
        keep(:listen, (earlier - [same] + [same.with_options(same.options.merge(options))]).freeze)
      end

      # Sets a hook: `name do |…| … end`, or `name callable`; nil removes an earlier block.
      #: (Symbol, Array[untyped], ?Proc?) -> void
      def hook(name, arguments, block = nil)
        row = HOOKS[name]
        @hooks[name] = row.check(block || arguments.first)
        @origins[name] = origin
      rescue InvalidValue => error
        refuse("#{name} #{error.message}", "For example: #{row.example.sub("\n", ' … ')}")
      end

      # Raises a ConfigError that names the line of the file.
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
        keep(name, explaining(name) { OPTIONS[name].type.check(value) })
      end

      def keep(name, value)
        @origins[name] = origin
        @values[name] = value
      end

      def listen_option(name, value)
        LISTEN_OPTIONS[name].check(value)
      rescue InvalidValue => error
        refuse("#{name} of listen #{error.message}")
      end

      # Adds an example to the message of an InvalidValue.
      def explaining(name)
        yield
      rescue InvalidValue => error
        refuse("#{name} #{error.message}", "For example: #{OPTIONS[name].example.lines.first.chomp}")
      end

      def refuse_unknown(option, keywords, names)
        unknown = keywords.keys.find { |name| !names.include?(name) } or return
        remedy = "It is an option of its own: write it on its own line" if OPTIONS.include?(unknown)
        remedy ||= Suggestion.sentence(unknown, names) || "It has #{names.join(', ')}"
        refuse("#{option} has no option #{unknown}", remedy)
      end

      def origin
        [@file, line].compact.join(":")
      end

      # The innermost line of the file itself: it may set options in methods and loops.
      def line
        caller_locations.find { |location| location.path == @path }&.lineno
      end
    end
  end
end
