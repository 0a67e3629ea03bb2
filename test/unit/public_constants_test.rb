# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"

module Coppice
  # What an application gets with its bundle, which requires "coppice" and nothing else: in a Ruby of its own, because
  # the files of other tests are loaded here.
  class PublicConstantsTest < TestCase
    ROOT = File.expand_path("../..", __dir__)
    # Pages for users, and not for those who change Coppice.
    PAGES = (Dir.glob("#{ROOT}/{README.md,docs/*.md}") - ["#{ROOT}/docs/architecture.md"])
            .to_h { |path| [File.basename(path), File.read(path, encoding: "UTF-8")] }.freeze

    test "each constant that a page names is there, with what the page requires" do
      named = PAGES.transform_values { |text| text.scan(/\bCoppice(?:::[A-Z]\w+)+/).uniq }
      named.reject! { |_, names| names.empty? }

      assert_includes named.keys, "dashboard.md"
      named.group_by { |page, _| PAGES.fetch(page).scan(/^require "(coppice.*)"$/).flatten }.each do |files, pages|
        loads = files.map { |file| "require #{file.dump}; " }.join
        pages.each { |page, names| assert_equal "", ruby("#{loads}#{names.join("; ")}"), page }
      end
    end

    test "the dashboard and the memory of processes are not loaded before somebody asks" do
      assert_equal "[]", ruby("p $LOADED_FEATURES.grep(/dashboard|memory|mem_info/)").strip
    end

    private

    def ruby(code)
      Open3.capture2e({ "RUBYOPT" => nil }, RbConfig.ruby, "--disable-gems", "-I", "#{ROOT}/lib", "-e",
        "require \"coppice\"; #{code}").first
    end
  end
end
