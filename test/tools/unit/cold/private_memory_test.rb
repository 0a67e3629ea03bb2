# frozen_string_literal: true

require "test_helper"
require "coppice/tools/cold/watchers/private_memory"

module Coppice
  module Cold
    class PrivateMemoryTest < TestCase
      MIB = 1024

      test "memory written since the snapshot is growth, by kind" do
        earlier = PrivateMemory.new
        text = "." * (64 * MIB * 1024)
        growth = PrivateMemory.new.growth_since(earlier)

        assert_operator growth.values.sum, :>=, 60 * MIB
        assert_empty growth.keys - Memory::MappingKinds::NAMES.keys
        assert_equal 64 * MIB * 1024, text.bytesize
      end
    end
  end
end
