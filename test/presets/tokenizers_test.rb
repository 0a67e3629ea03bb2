# frozen_string_literal: true

require_relative "support/preset_test_case"

module Coppice
  class TokenizersPresetTest < PresetTestCase
    test "the worker that has encoded a batch is never promoted" do
      assert_never_promoted(<<~'RUBY')
        require "tokenizers"
        run(lambda do |_env|
          words = Tokenizers::Models::WordLevel.new(vocab: { "a" => 0 }, unk_token: "a")
          Tokenizers::Tokenizer.new(words).encode_batch(%w[a a])
          [200, {}, ["done"]]
        end)
      RUBY
    end
  end
end
