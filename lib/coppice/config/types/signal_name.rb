# frozen_string_literal: true

require "coppice/config/types"

module Coppice
  module Config
    module Types
      # The name of a signal, with or without SIG, or something that answers `call(pid)` with one. Kept as a Symbol
      # without SIG, or as the callable.
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
    end
  end
end
