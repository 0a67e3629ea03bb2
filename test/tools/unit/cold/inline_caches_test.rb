# frozen_string_literal: true

require "test_helper"
require "coppice/tools/cold/watchers/inline_caches"

module Coppice
  module Cold
    class InlineCachesTest < TestCase
      MANY = 300

      # MANY methods that name a constant each; `all` runs them.
      module Lazy
        MANY.times { |number| const_set("NUMBER_#{number}", number) }
        module_eval(Array.new(MANY) { |number| "def self.number_#{number}() = NUMBER_#{number}" }.join("\n"))
        module_eval("def self.all\n#{Array.new(MANY) { |number| "number_#{number}" }.join("\n")}\nend")
      end

      test "code fills inline caches the first time it runs, not the second time" do
        first = filled { Lazy.all }
        second = filled { Lazy.all }

        few = MANY / 10 # may be those of other code, which is collected meanwhile
        assert_operator first[:constants], :>=, MANY - few
        assert_operator first[:calls], :>=, MANY - few
        assert_operator second.values.max, :<, MANY / 2
      end

      private

      def filled
        caches = InlineCaches.new
        caches.start
        yield
        caches.stop
        caches.filled
      end
    end
  end
end
