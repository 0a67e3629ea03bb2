# frozen_string_literal: true

require "coppice/config/types"
require "coppice/gc_profile"

module Coppice
  module Config
    module Types
      # The name of a signal, with or without SIG, or an object whose `call(pid)` returns one. Kept as a Symbol without
      # SIG, or as that object.
      class SignalName < Text
        def description = 'the name of a signal, such as :KILL or "TERM", or a block that takes a pid and returns one'
        def placeholder = "SIGNAL"

        #: (untyped) -> (Symbol | Proc)
        def check(value)
          return value if value.respond_to?(:call)
          return refuse(value) unless value.is_a?(Symbol) || value.is_a?(String)

          name = value.to_s.delete_prefix("SIG")
          Signal.list.key?(name) && name != "EXIT" ? name.to_sym : refuse(value)
        end
      end

      # The path of a directory, which may not exist yet. Kept as it is, with its symlinks.
      class DirectoryPath < Text
        def description = "the absolute path of a directory"
        def placeholder = "DIR"

        #: (untyped) -> String
        def check(value)
          value.is_a?(String) && value.start_with?("/") ? -value : refuse(value)
        end
      end

      # The path of a file. Kept as an absolute path.
      class FilePath < Text
        def description = "the path of a file"
        def placeholder = "PATH"

        #: (untyped) -> String
        def check(value)
          return refuse(value) unless value.is_a?(String) && !value.empty? && !value.include?("\0")

          -absolute(value)
        end
      end

      # Whether presets act: true, false, or a Hash of those that do not. Names stand for files of lib/coppice/presets,
      # which the monitor does not load.
      class ForkSafetyPresets < Boolean
        FOLDER = File.expand_path("../../presets", __dir__)

        def description = "true, false, or a Hash such as { except: [:pg] } with names of presets"

        #: (untyped) -> (bool | Hash[Symbol, Array[Symbol]])
        def check(value)
          return super unless value.is_a?(Hash)

          names = value.keys == [:except] ? Array(value[:except]).map { |name| name.to_s.tr("-", "_") } : refuse(value)
          unknown = (names - Dir.children(FOLDER).map { |file| File.basename(file, ".rb") }).first
          raise InvalidValue, "has no preset #{unknown} (docs/fork_safety.md lists them)" if unknown

          { except: names.map(&:to_sym).freeze }.freeze
        end
      end

      # A directory, as an absolute path; or false for none.
      class StateDirectory < Type
        def description = "the path of a directory, or false"
        def placeholder = "DIRECTORY"

        #: (untyped) -> (String | false)
        def check(value)
          return value if value == false

          value.is_a?(String) && value.match?(/\A[^\0]+\z/) ? absolute(value).freeze : refuse(value)
        end

        #: (String) -> (String | false)
        def parse(text)
          check(text == "false" ? false : text)
        end
      end

      # :fitted, :ruby, or a Hash of the environment variables that tune Ruby's garbage collector.
      class GcProfile < Type
        NAMES = { "fitted" => :fitted, "ruby" => :ruby }.freeze

        def description = ":fitted, :ruby, or a Hash such as { \"RUBY_GC_MALLOC_LIMIT\" => 9_000_000 }"
        def placeholder = NAMES.keys.join("|")

        #: (untyped) -> (Symbol | Hash[String, String])
        def check(value)
          return value if NAMES.value?(value)

          return refuse(value) unless variables?(value)

          variables = value.to_h { |name, number| [name.to_s, number.to_s] }.freeze
          problem = GCProfile.problem_of_ratios(variables)
          raise InvalidValue, problem if problem

          variables
        end

        #: (String) -> Symbol
        def parse(text)
          check(NAMES.fetch(text, text))
        end

        private

        def variables?(value)
          value.is_a?(Hash) && value.all? { |name, number| GCProfile.variable?(name.to_s, number.to_s) }
        end
      end
    end
  end
end
