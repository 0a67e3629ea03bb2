# frozen_string_literal: true

module Coppice
  module OS
    # Ruby's compiler YJIT. It can be turned on at run time from Ruby 3.3 on, and not off again.
    module JIT
      #: () -> bool
      def self.on? = defined?(RubyVM::YJIT.enabled?) ? RubyVM::YJIT.enabled? : false

      # Whether it is on, or can be turned on.
      #: () -> bool
      def self.available? = on? || !defined?(RubyVM::YJIT.enable).nil?

      # Whether a value of the option jit asks for it in vain.
      #: (Symbol?) -> bool
      def self.lacking?(setting) = %i[all lead].include?(setting) && !available?

      # Where this Ruby can.
      #: () -> void
      def self.turn_on = (RubyVM::YJIT.enable if !on? && defined?(RubyVM::YJIT.enable))
    end
  end
end
