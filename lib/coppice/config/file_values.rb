# frozen_string_literal: true

require "coppice/config/service_definition"
require "coppice/control/verbs"
require "coppice/errors"
require "coppice/config/hooks"
require "coppice/config/listen_options"
require "coppice/config/options"
require "coppice/config/services"
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
      attr_reader :notes       #: Array[String] about lines that have no effect, each with its place
      attr_reader :services    #: Hash[String, ServiceDefinition]  by name
      attr_reader :file        #: String?  its name in messages
      attr_reader :text        #: String? of the file

      # `path` is the name that the file is evaluated under, `file` its name in messages.
      #: (?file: String?, ?path: String?, ?text: String?, ?replaceable: bool, ?starting: bool) -> void
      def initialize(file: nil, path: nil, text: nil, replaceable: true, starting: false)
        @file = file
        @path = path
        @text = text
        @values = {}
        @origins = {}
        @hooks = {}
        @notes = []
        @services = {}
        @replaceable = replaceable
        @starting = starting
      end

      # Whether variables of the environment replace what the file says: not for a file that was written for Unicorn,
      # which reads none. Its PORT may be that of a proxy on the same machine.
      #: () -> bool
      def replaceable? = @replaceable

      # Whether the file is read at the start of a command, which may go to another directory.
      #: () -> bool
      def starting? = @starting

      # Sets an option: `name value`, `name value, value` for a list, or `name { … }` for one that takes a block.
      #: (Symbol, Array[untyped], ?Proc?) -> untyped
      def option(name, arguments, block = nil)
        arguments = [*arguments, block].compact if block
        arguments = [arguments] if arguments.size > 1 && OPTIONS[name].type.list?
        unless arguments.size == 1
          refuse("#{name} takes one value, but got #{arguments.size}", example_of(name))
        end
        set(name, arguments.first)
      end

      # The value of an option, in place of the option's default, unless the file sets it.
      #: (Symbol, untyped, String) -> void
      def assume(name, value, origin)
        return if @values.key?(name)

        @values[name] = value
        @origins[name] = origin
      end

      # Sets a limit and another one that a keyword of the same line names. Without the keyword the other's default
      # applies, also after an earlier line that had it.
      #: (Symbol, untyped, Hash[untyped, untyped], **Symbol) -> void
      def pair(name, value, keywords, **others)
        refuse_unknown(name, keywords, others.keys)
        set(name, value)
        others.each { |keyword, other| set(other, keywords.fetch(keyword) { OPTIONS[other].default }) }
      end

      # Adds a row to an option that is a list.
      #: (Symbol, untyped) -> void
      def add(name, row)
        keep(name, [*@values[name], *explaining(name) { OPTIONS[name].type.check([row]) }].freeze)
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
        refuse_value(name, error, "For example: #{row.example.sub("\n", ' … ')}")
      end

      # Adds a message for the user, who has written something that has no effect.
      #: (String) -> void
      def note(text)
        @notes << "#{origin}: #{text}"
      end

      # Declares a service process; again with the same name: in place of the earlier one; with a nil block: none.
      #: (untyped, untyped, Hash[untyped, untyped]) -> void
      def service(name, block, options)
        name = service_name(name)
        refuse_unknown("service #{name}", options, SERVICE_OPTIONS.names)
        @origins[:"service #{name}"] = origin
        return @services.delete(name) unless block || options[:path]

        values = SERVICE_OPTIONS.to_h { |option| [option.name, service_option(name, option, options)] }
        values.update(values[:path] ? for_handshakes(name, block) : for_block(name, block))
        @services[name] = ServiceDefinition.new(name: name, **values).freeze
      rescue InvalidValue => error
        refuse_value("service #{name}", error, "For example: #{SERVICE_EXAMPLE.lines.first.chomp} …")
      end

      # Raises a ConfigError that names the line of the file.
      #: (String, ?String?, ?reason: String?) -> bot
      def refuse(problem, remedy = nil, reason: nil)
        raise ConfigError.new(problem, file: @file, line: line, remedy: remedy, reason: reason)
      end

      #: () -> self
      def freeze
        [@values, @origins, @hooks, @services, @notes].each(&:freeze)
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

      # nil means the default, as for Pitchfork.
      def listen_option(name, value)
        value.nil? ? LISTEN_OPTIONS[name].default : LISTEN_OPTIONS[name].type.check(value)
      rescue InvalidValue => error
        refuse_value("#{name} of listen", error)
      end

      def service_name(name)
        text = name.to_s
        return text if text.match?(Control::SERVICE_NAME) && !RESERVED_SERVICE_NAMES.include?(text)

        problem = "service needs a name of up to 31 letters, digits, - and _"
        refuse("#{problem}, but got #{name.inspect[0, 80]}",
          "#{RESERVED_SERVICE_NAMES.join(' and ')} are reserved. For example: service :jobs do … end", reason: problem)
      end

      def for_block(name, block) = { block: Hook.new(name: name, arguments: SERVICE_ARGUMENTS).check(block) }

      # It runs the application, and two of them could not tell whose a client is.
      def for_handshakes(name, block)
        refuse("service #{name} has a path and a block: with a path it serves the application") if block
        other = @services.each_value.find { |service| service.path && service.name != name }
        refuse("service #{name} and service #{other.name} both have a path: one may") if other
        { survives_reforks: true, block: nil }
      end

      def service_option(service, option, options)
        option.type.check(options.fetch(option.name, option.default))
      rescue InvalidValue => error
        refuse_value("#{option.name} of service #{service}", error)
      end

      # Adds an example to the message of an InvalidValue.
      def explaining(name)
        yield
      rescue InvalidValue => error
        refuse_value(name, error, example_of(name))
      end

      # Adds what an InvalidValue is about.
      def refuse_value(name, error, remedy = nil)
        refuse("#{name} #{error.message}", remedy, reason: "#{name} #{error.reason}")
      end

      def example_of(name) = "For example: #{OPTIONS[name].example.lines.first.chomp.sub(/,\z/, ', …')}"

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
