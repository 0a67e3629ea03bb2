# frozen_string_literal: true

require "test_helper"
require "coppice/tools/test_reforks/portable_error"

module Coppice
  module TestReforks
    class PortableErrorTest < TestCase
      test "an exception of another process keeps its class, and the lines that are not this tool's" do
        own = Dir.glob(File.expand_path("lib/coppice/tools/test_reforks{.rb,/*.rb}")).map { |path| "#{path}:1:in 'x'" }
        error = ArgumentError.new("no").tap { |one| one.set_backtrace(["test/cart_test.rb:3:in 'add'", *own]) }
        restored = PortableError.of(error).restore

        assert_operator own.size, :>, 5
        assert_equal [ArgumentError, "no", ["test/cart_test.rb:3:in 'add'"]],
          [restored.class, restored.message, restored.backtrace]
      end
    end
  end
end
