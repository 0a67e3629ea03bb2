# frozen_string_literal: true

require_relative "support/preset_test_case"

module Coppice
  class TokenizersPresetTest < PresetTestCase
    test "the worker that has encoded a batch is never promoted" do
      assert_never_promoted('require "tokenizers"', <<~'RUBY')
        words = Tokenizers::Models::WordLevel.new(vocab: { "a" => 0 }, unk_token: "a")
        Tokenizers::Tokenizer.new(words).encode_batch(%w[a a])
      RUBY
    end
  end
end
