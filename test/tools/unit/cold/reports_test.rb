# frozen_string_literal: true

require "test_helper"
require "json"
require "coppice/tools/cold/failure"
require "coppice/tools/cold/json_report"
require "coppice/tools/cold/path_analysis"
require "coppice/tools/cold/path_analyzer"
require "coppice/tools/cold/source_paths"
require "coppice/tools/cold/stopwatch"
require "coppice/tools/cold/text_report"
require "coppice/tools/cold/watchers/definitions"
require "coppice/tools/cold/watchers/memos"
require "coppice/tools/cold/watchers/retained_objects"

module Coppice
  module Cold
    class ReportsTest < TestCase
      ROOT = File.realpath(Dir.tmpdir)
      GEMS = "/usr/lib/ruby/gems/3.4.0/gems"
      ATTRIBUTE_METHODS = "#{GEMS}/activemodel-8.0.0/lib/active_model/attribute_methods.rb".freeze

      test "the figures of both plays" do
        text = report(warm(times: [measured(120.04, 90), measured(8, 7.5)],
          memory: [{ gc_heap: 2048, malloc: 1024, jit: 10 }, { malloc: 512 }]))

        assert_match(/^  time +first +120\.0 ms, second +8\.0 ms$/, text)
        assert_match(/^  processor time +first +90\.0 ms, second +7\.5 ms$/, text)
        assert_match(/^  private memory +first +3\.0 MiB, second +0\.5 MiB$/, text)
        assert_match(/^  inline caches +3 of constants, 4 of calls$/, text)
        assert_match(/^    GC heap +first +2\.0 MiB, second +0\.0 MiB$/, text)
        refute_match(/JIT/, text)
      end

      test "an empty analysis recommends nothing" do
        assert_match(/\A  nothing to do at boot/, report(warm).lines.last)
        refute_match(/files loaded|methods defined|memoized|objects retained/, report(warm))
      end

      test "lists are cut after --top rows" do
        files = %w[a b c].map { |name| "#{ROOT}/#{name}.rb" }
        text = report(warm(files: files), top: 2)

        assert_match(/^  files loaded +3\n    a\.rb\n    b\.rb\n    … and 1 more \(--top 3\)\n/, text)
        assert_match(/^    3 files of the application loaded by a request: /, text)
      end

      test "methods that came with a file are only counted, those of the application come first" do
        text = report(warm(files: ["#{ROOT}/a.rb"], defined_methods: [
          group("A#", %i[x y], "#{ROOT}/a.rb"), group("B#", %i[name name= name?], ATTRIBUTE_METHODS),
          group("C.", %i[rate], "#{ROOT}/c.rb")
        ]))

        assert_match(/^  methods defined +4 \(and 2 of the files and templates above\)$/, text)
        assert_match(/^ +1  C\.rate  c\.rb:7\n +3  B#name, name=, name\?  active/, text)
        assert_match(/^    1 method defined by a request \(c\.rb\): call what defines them at boot$/, text)
        assert_match(/^    3 attribute methods defined by a request: dump the schema cache/, text)
      end

      test "memoized variables and retained objects" do
        memo = Memos::Memo.new(name: "Rates.@all", bytes: 40_960, file: "#{ROOT}/rates.rb", line: 2)
        text = report(warm(memos: [memo],
          retained: [RetainedObjects::Site.new(file: "", line: 0, type: "String", objects: 3, bytes: 1_048_576)]))

        assert_match(/^ +40\.0 KiB  Rates\.@all  rates\.rb:2$/, text)
        assert_match(/^ +1024\.0 KiB +3  in C  String$/, text)
        assert_match(/^    1 variable of the application filled by a request: fill at boot Rates\.@all$/, text)
        assert_match(/^    1\.0 MiB of other objects retained/, text)
      end

      test "a redirect and an error page stand beside the path" do
        assert_equal "GET /x  302 to /login\n", report(warm(status: 302, location: "/login")).lines.first
        assert_match(%r{\AGET /x  404, possibly only an error page}, report(warm(status: 404)))
      end

      test "a failure with the application's own lines" do
        trace = ["#{GEMS}/pg-1.5.0/lib/pg.rb:5:in `a'", "#{GEMS}/pg-1.5.0/lib/pg.rb:9:in `b'",
                 "#{ROOT}/shop.rb:3:in `c'"]
        text = report(PathAnalysis.new(path: "/x", failure: Failure.new(message: "gone (PG::Error)", backtrace: trace)))

        assert_equal ["GET /x", "  failed: gone (PG::Error)",
                      "    pg-1.5.0/lib/pg.rb:5:in `a'", "    shop.rb:3:in `c'"],
          text.lines.map(&:chomp)
      end

      test "all of it as JSON" do
        analyses = [warm(defined_methods: [group("C.", %i[rate], "#{ROOT}/c.rb")]),
                    PathAnalysis.new(path: "/y", failure: Failure.new(message: "no", backtrace: []))]
        warm, failed = JSON.parse(JsonReport.new(analyses, source_paths: SourcePaths.new(ROOT)).text)

        assert_equal 200, warm["status"]
        assert_equal [{ "owner" => "C.", "names" => ["rate"], "file" => "#{ROOT}/c.rb", "line" => 7 }],
          warm["defined_methods"]
        assert_equal({ "wall_ms" => 1.0, "cpu_ms" => 1.0 }, warm["times"].first)
        assert_equal 1, warm["todo"].size
        assert_equal({ "path" => "/y", "failure" => { "message" => "no", "backtrace" => [] } }, failed)
      end

      test "texts of any encoding, and malformed ones" do
        root = "#{ROOT}/caf\u00E9"
        binary = ->(name) { "#{root}/#{name}".b }
        bad = Failure.of(RuntimeError.new("bad \xFF bytes").tap { |error| error.set_backtrace(["#{root}/\xFE.rb:1"]) })
        utf16 = Failure.of(RuntimeError.new("\u00FCber".encode(Encoding::UTF_16)))
        site = RetainedObjects::Site.new(file: binary["a.rb"], line: 3, type: "String", objects: 1, bytes: 99)
        warm = warm(location: "/\xE9".b, files: [binary["a.rb"]], retained: [site],
                    defined_methods: [group("\u00C9#", ["m\u00FC".encode("ISO-8859-1").to_sym], binary["b.rb"])])
        analyses = [warm, *[bad, utf16].map { |failure| PathAnalysis.new(path: "/x", failure: failure) }]

        Dir.stub(:pwd, root) do
          paths = File.stub(:realpath, root) { SourcePaths.new }
          text = analyses.map { |one| TextReport.new(one, source_paths: paths, top: 8).lines.join("\n") }.join("\n")

          assert_match(%r{200 to /\uFFFD$.* a\.rb$.* \u00C9#m\u00FC  b\.rb:7$.* a\.rb:3  String$}m, text)
          assert_match(/^  failed: bad \uFFFD bytes \(RuntimeError\)\n    \uFFFD\.rb:1$.*failed: \u00FCber \(/m, text)
          assert_equal ["#{root}/a.rb"], JSON.parse(JsonReport.new(analyses, source_paths: paths).text).first["files"]
        end
      end

      private

      def warm(**found)
        PathAnalysis.new(path: "/x", status: 200, times: [measured(1.0, 1.0)] * 2, memory: [{}, {}], files: [],
          templates: [],
          defined_methods: [], defined_constants: [], memos: [], retained: [],
          inline_caches: { constants: 3, calls: 4 }, **found)
      end

      def measured(wall, cpu) = Stopwatch::Time.new(wall_ms: wall, cpu_ms: cpu)
      def group(owner, names, file) = Definitions::Group.new(owner: owner, names: names, file: file, line: 7)

      def report(analysis, top: 8)
        TextReport.new(analysis, source_paths: SourcePaths.new(ROOT), top: top).lines.join("\n")
      end
    end
  end
end
