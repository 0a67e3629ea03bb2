# frozen_string_literal: true

require "open3"
require "rbconfig"
require "tsort"
require "test_helper"
require_relative "support/source_files"

module Coppice
  # Holds the shape of the house, as docs/architecture.md draws it: who may know whom, and how large a room may be.
  class ArchitectureTest < TestCase
    # What every process is made of. It knows nothing of processes, and of what is above only its like.
    FOUNDATION = %w[errors version version_order executable coppice_ext roles os board control log].freeze

    # What every process is given. It may know the foundation.
    SHARED = %w[coppice config listeners fork_safety memory mem_info gc_profile allocator mold_environment info
                inheritance membership server compatibility].freeze

    # The rest belongs to one process or starts it: each part with the other such parts that it may know.
    # Parts are files or folders of lib/coppice; the longest name that fits is a file's part.
    ARROWS = {
      "http" => [],
      "forking" => [], # how molds and workers fork
      "life" => [], # what molds, workers and the service worker have in common
      "worker" => %w[forking http life],
      "mold" => %w[forking life],
      "service" => %w[life],
      "child" => %w[mold service worker], # the trampoline: the only one that knows them all
      "mold/cold_boot" => %w[child mold], # where a cold mold's process begins
      "single" => %w[mold worker], # worker_processes 0: no monitor, no fork
      "cold" => %w[mold worker], # coppice cold: the application in a process without a monitor
      "monitor" => [], # spawns a cold mold by exec: loading the code of molds and workers would only cost it memory
      "cli" => %w[cold monitor single], # one file for each thing a user can ask for
      "launcher" => %w[cli mold/cold_boot], # the first thing that runs in every process started by exec
      "rackup" => [],
      "rails" => []
    }.freeze

    PARTS = [*FOUNDATION, *SHARED, *ARROWS.keys].sort_by { |part| -part.size }.freeze
    LINES = 300
    SYNTAX_ONLY = %w[-std=gnu11 -fsyntax-only -Wall -Wextra -Werror -Wno-unused-parameter -Iext/coppice].freeze

    test "every file has its place" do
      assert_empty(library.keys.reject { |path| part_of(feature(path)) })
    end

    test "who may require whom goes one way" do
      wrong = library.flat_map do |path, text|
        part = part_of(feature(path))
        forbidden = SourceFiles.required_by(text).reject { |wanted| may_know?(part, part_of(wanted)) }
        forbidden.map { |wanted| "#{path} requires #{wanted}" }
      end

      assert_empty wrong
    end

    test "no file is too long to be read in one sitting" do
      files = SourceFiles.matching("{lib,test,examples/*/app,examples/*/lib}/**/*.rb",
        "ext/**/*.{c,h,rb}", "test/**/*.{c,h}", "{bin,exe}/*")

      assert_empty(files.transform_values { |text| text.lines.size }.select { |_, lines| lines > LINES })
    end

    test "no error is swallowed unnamed" do
      unnamed = /\brescue nil\b|\brescue\s*(?:=>.*)?$|rescue Exception(?!.*# why:)/

      assert_lines_without(unnamed, "lib/**/*.rb", "exe/*", "test/**/*.rb")
    end

    test "no test sleeps" do
      assert_lines_without(/(?<![.\w"])sleep\b[ (]+\d/, "test/**/*_test.rb")
    end

    # They serve in processes without Ruby as well.
    test "the parser, the buffer, the wait budget and the socket calls know nothing of Ruby" do
      files = Dir.glob("ext/coppice/{http_,chunked,byte_buffer,wait_budget,socket_io,status_line}*.c")
      complaints, status = Open3.capture2e(RbConfig::CONFIG.fetch("CC").split.first, *SYNTAX_ONLY, *files)

      assert_predicate status, :success?, complaints
      assert_lines_without(/#include [<"]ruby/, *files, *files.map { |path| path.sub(/c\z/, "h") })
    end

    test "C files depend on each other in one direction" do
      includes = SourceFiles.matching("ext/coppice/*.{c,h}").each_with_object({}) do |(path, text), graph|
        unit = unit_of(path)
        graph[unit] = (graph[unit] || []) | text.scan(/^#include "(\w+)\.h"/).map { |(name)| unit_of(name) } - [unit]
      end
      included = ->(unit, &block) { includes.fetch(unit).each(&block) }
      circles = TSort.strongly_connected_components(includes.method(:each_key), included)

      assert_empty(circles.select { |units| units.size > 1 })
    end

    private

    def library
      @library ||= SourceFiles.matching("lib/coppice.rb", "lib/coppice/**/*.rb")
    end

    # A C file with its header; the files of the parser, and those of the chunk decoder, are one unit.
    def unit_of(path) = File.basename(path, ".*").sub(/\A(http|chunked)_.*/, '\1')

    # "lib/coppice/monitor/roster.rb" is what others require as "monitor/roster" (below coppice/).
    def feature(path)
      path.delete_prefix("lib/").delete_suffix(".rb").delete_prefix("coppice/")
    end

    def part_of(feature)
      return "coppice" if ["", "coppice"].include?(feature)
      return "coppice_ext" if feature.end_with?("/coppice_ext") # of one Ruby version

      PARTS.find { |part| feature == part || feature.start_with?("#{part}/") }
    end

    def may_know?(part, other)
      return true if part == other || FOUNDATION.include?(other)
      return false if FOUNDATION.include?(part)

      SHARED.include?(other) || ARROWS.fetch(part, []).include?(other)
    end

    def assert_lines_without(pattern, *files)
      texts = SourceFiles.matching(*files).except("test/architecture_test.rb")
      found = texts.flat_map do |path, text|
        lines = text.lines.each.with_index(1).select { |line, _| line.match?(pattern) }
        lines.map { |line, number| "#{path}:#{number}: #{line.strip}" }
      end

      assert_empty found
    end
  end
end
