# frozen_string_literal: true

# For a test file that plays the same code thousands of times: has Ruby compile it, where it can, which saves a third
# of the time.
RubyVM::YJIT.enable if RubyVM.const_defined?(:YJIT) && RubyVM::YJIT.respond_to?(:enable)
