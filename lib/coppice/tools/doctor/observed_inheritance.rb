# frozen_string_literal: true

require "coppice/child/inheritance"

module Coppice
  module Doctor
    # What a server's processes inherit, with an examiner that looks after each hook.
    class ObservedInheritance < Child::Inheritance
      #: (Symbol, *untyped, log: Log) -> void
      def call_hook(name, *arguments, log:)
        super
        app.examiner.after_hook(name, arguments.first)
      end
    end
  end
end
