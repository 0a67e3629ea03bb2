# frozen_string_literal: true

require "test_helper"
require "coppice/config/config_file"
require "support/pages/config_reference"

module Coppice
  module Config
    class ReferenceTest < TestCase
      PAGE = File.expand_path("../../../docs/configuration.md", __dir__)

      test "docs/configuration.md is up to date" do
        assert_equal Reference.new.to_markdown, File.read(PAGE), "run: rake docs"
      end

      test "each option, listen option and hook is on the page" do
        page = Reference.new.to_markdown
        [*OPTIONS.names, *HOOKS.names].each { |name| assert_includes page, "### `#{name}`\n" }
        LISTEN_OPTIONS.names.each { |name| assert_includes page, "| `#{name}` |" }
      end

      test "each example on the page is good" do
        page = Reference.new.to_markdown
        examples = page.scan(/^```ruby\n(.*?)^```/m).flatten + page.scan(/^(?: {4}.*\n)+/)
        assert_operator examples.size, :>, OPTIONS.count
        with_tmpdir do |folder|
          examples.each do |example|
            File.write(File.join(folder, "coppice.rb"), example.gsub("log/server.log", File::NULL))
            refute_empty ConfigFile.read("coppice.rb", directory: folder).origins
          end
        end
      end
    end
  end
end
