# frozen_string_literal: true

require "test_helper"
require_relative "support/source_files"

module Coppice
  # Holds the shape of the C code: what includes whom, and who calls whom.
  class CArchitectureTest < TestCase
    # The lobby's layers. Client and worker know nothing of each other: the loop carries what one has for the other.
    LAYERS = { "memory" => 0, "client" => 1, "worker" => 1, "loop" => 2 }.freeze

    # It is linked without Ruby: this says which line is wrong.
    test "the lobby's program knows nothing of Ruby" do
      texts = SourceFiles.matching("ext/coppice/{http,lobby/*,shared}/*.[ch]")

      assert_operator texts.size, :>, 80
      assert_empty(texts.select { |_, text| text.match?(/#include [<"]ruby/) }.keys)
    end

    test "the parser has one header for others" do
      others = SourceFiles.matching("ext/coppice/**/*.[ch]").reject { |path, _| path.start_with?("ext/coppice/http/") }

      assert_empty(others.select { |_, text| text.match?(%r{#include "http/(?!http\.h)}) }.keys)
    end

    test "C files depend on each other in one direction" do
      includes = SourceFiles.matching("ext/coppice/**/*.{c,h}").each_with_object({}) do |(path, text), graph|
        headers = text.scan(/^#include "(.+)"/).map { |(name)| header(name, File.dirname(path)) }
        graph[unit_of(path)] = (graph[unit_of(path)] || []) | headers.map { |header| unit_of(header) } - [unit_of(path)]
      end

      assert_empty circles(includes).keys, "they are in a circle, or include one"
    end

    test "the lobby's files call each other in one direction" do
      calls = calls_of_lobby
      assert_operator calls.size, :>, 50
      upwards = calls.flat_map { |file, called| called.select { |other| upwards?(file, other) }.map { [file, _1] } }

      assert_empty upwards
      assert_empty circles(calls).keys, "they are in a circle, or call one"
    end

    private

    def upwards?(file, other)
      own, called = [file, other].map { |path| File.dirname(path) }
      own != called && LAYERS.fetch(called) >= LAYERS.fetch(own)
    end

    # By the symbols of the objects: what each file calls of the others, data that it reads included.
    def calls_of_lobby
      symbols = symbols_of(newest_objects)
      homes = symbols.each_with_object({}) do |(file, found), places|
        found.each { |name, kind| places[name] = file unless kind == "U" }
      end
      symbols.transform_values { |found| found.filter_map { |name, kind| homes[name] if kind == "U" }.uniq }
    end

    # A build with sanitizers has none.
    def newest_objects
      programs = Dir.glob("tmp/ext/#{RUBY_VERSION[/\A\d+\.\d+/]}*/coppice-lobby")
      Dir.glob("#{File.dirname(programs.max_by { |program| File.mtime(program) })}/lobby/*/*.o")
    end

    # Symbols that other files see: name and kind, by the file.
    def symbols_of(objects)
      lines = IO.popen(["nm", "--extern-only", "--print-file-name", *objects], &:readlines)
      found = lines.map { |line| line.match(%r{lobby/(?<file>\S+)\.o:.* (?<kind>[A-Z]) (?<name>\S+)$}) }
      found.group_by { |match| match[:file] }
           .transform_values { |matches| matches.map { |match| match.values_at(:name, :kind) } }
    end

    # What is left when those that know nobody are taken away, again and again.
    def circles(graph)
      until (leaves = graph.keys.select { |unit| (graph[unit] & graph.keys).empty? }).empty?
        graph = graph.except(*leaves)
      end
      graph
    end

    # As the compiler finds it: beside the file that includes it, then in the folder of the extension.
    def header(name, folder)
      ["#{folder}/#{name}", "ext/coppice/#{name}"].find { |path| File.exist?(path) }
    end

    # A C file with its header; the files of the parser are one unit.
    def unit_of(path) = path.sub(%r{(?<=/http)/.*}, "").delete_suffix(File.extname(path))
  end
end
