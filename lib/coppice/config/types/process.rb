# frozen_string_literal: true

require "coppice/config/types"
require "coppice/gc_profile"

module Coppice
  module Config
    module Types
      # The name of a signal, with or without SIG, or an object whose `call(pid)` answers one. Kept as a Symbol without
      # SIG, or as that object.
      class SignalName < Type
        def description = 'the name of a signal, such as :KILL or "TERM", or a block that takes a pid and returns one'
        def placeholder = "SIGNAL"

        #: (untyped) -> (Symbol | Proc)
        def check(value)
          return value if value.respond_to?(:call)
          return refuse(value) unless value.is_a?(Symbol) || value.is_a?(String)

          name = value.to_s.delete_prefix("SIG")
          Signal.list.key?(name) && name != "EXIT" ? name.to_sym : refuse(value)
        end

        alias parse check
      end

      # :fitted, :ruby, or a Hash of the environment variables that tune Ruby's garbage collector.
      class GcProfile < Type
        NAMES = { "fitted" => :fitted, "ruby" => :ruby }.freeze

        def description = ":fitted, :ruby, or a Hash such as { \"RUBY_GC_HEAP_FREE_SLOTS_GOAL_RATIO\" => 0.1 }"
        def placeholder = NAMES.keys.join("|")

        #: (untyped) -> (Symbol | Hash[String, String])
        def check(value)
          return value if NAMES.value?(value)

          variables?(value) ? value.to_h { |name, number| [name.to_s, number.to_s] }.freeze : refuse(value)
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
