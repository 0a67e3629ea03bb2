# frozen_string_literal: true

require "test_helper"
require "stringio"
require "coppice/log"
require "coppice/log/terminal_format"

module Coppice
  class Log
    class TerminalFormatTest < TestCase
      Screen = Class.new(Terminal) do
        attr_reader :size

        def initialize(size, colour, unicode)
          @size, @colour, @unicode = size, colour, unicode
          super(nil, {})
        end

        def unicode? = @unicode
      end

      # Takes what a Log writes, in this format.
      Page = Struct.new(:format, :text) do
        def emit(entry) = self.text = "#{text}#{format.render(entry)}"
      end

      test "a line has local time, the process, the message and the fields" do
        line = written { |log| log.with(role: :worker, nr: 3, generation: 2).info("rehearsal finished", rounds: 4) }

        assert_match(/\A\d\d:\d\d:\d\d  worker 3 · gen 2   rehearsal finished  rounds 4\n\z/, line)
      end

      test "the child that a line is about is one name, with its pid where something went wrong" do
        child = { child: :worker, nr: 1, gen: 2, child_pid: 77 }

        assert_includes written { |log| log.info("promotion started", **child, new_gen: 3) },
          "  promotion started  worker 1 · gen 2 · new gen 3\n"
        assert_includes written { |log| log.error("worker exited", **child, why: :signal) },
          "  error: worker exited  worker 1 · gen 2 · pid 77 · why signal\n"
      end

      test "a service has its name, as the process that speaks and as the child that a line is about" do
        child = { child: :service, name: "jobs", gen: 2, child_pid: 77 }

        assert_match(/  service jobs · gen 2 +ready\n/,
          written { |log| log.with(role: :service, name: "jobs", generation: 2).info("ready") })
        assert_includes written { |log| log.info("service exited", **child, why: :exited_by_itself) },
          "  service exited  service jobs · gen 2 · why exited_by_itself\n"
      end

      test "what the banner says is not said again" do
        assert_includes written { |log| log.info("booting", gc: "default", allocator: "jemalloc", seconds: 1) },
          "  booting  seconds 1\n"
      end

      test "a long line is continued below its message, or further to the left where the terminal is narrow" do
        words = Array.new(20) { "word" }.join(" ")
        wide, narrow = [100, 60].map { |columns| written(size: [24, columns]) { |log| log.info(words) }.lines }

        assert_operator [*wide, *narrow].map { |line| line.chomp.size }.max, :<=, 100
        assert_operator narrow.map { |line| line.chomp.size }.max, :<=, 60
        assert_match(/\A {29}word/, wide[1])
        assert_match(/\A {4}word/, narrow[1])
        assert_equal [words] * 2, ([wide, narrow].map { |lines| lines.join.split.drop(2).join(" ") })
      end

      test "colours show who speaks and how bad it is, and change no text" do
        speak = ->(log) { log.with(role: :mold).error("mold exited", child: :mold, why: :failed) }
        coloured = written(colour: true, &speak)

        assert_includes coloured, "\e[31merror:\e[0m mold exited"
        assert_includes coloured, "\e[35mmold\e[0m "
        assert_equal written(&speak), coloured.gsub(/\e\[\d+m/, "")
      end

      test "a terminal that cannot show more than ASCII gets no more" do
        text = written(unicode: false) { |log| log.error("gone", child: :worker, nr: 1, why: :signal) }

        assert_predicate text, :ascii_only?
      end

      test "nothing reaches the terminal as a control sequence, and only indented text continues an entry" do
        hostile = [*0..0x1f, *0x7f..0x9f, 0x2028, 0x200e, *0x202a..0x202e, *0x2066..0x2069].pack("U*")
        error = RuntimeError.new("one\n#{hostile}\xFF").tap { |failed| failed.set_backtrace(["/app/#{hostile}.rb:1"]) }
        text = written { |log| log.exception(hostile, error, path: hostile, backtrace: hostile) }

        assert_empty text.delete("\n").each_char.select { |character| hostile.include?(character) }
        assert_predicate text, :valid_encoding?
        assert(text.lines.drop(1).all? { |line| line.start_with?("    ") }, text)
      end

      test "quotes stay as they are" do
        assert_includes written { |log| log.info(%(a "b" \\c)) }, %(a "b" \\c\n)
      end

      test "an error has its reason, its causes, and a backtrace without most of the gems' frames" do
        gems = Array.new(9) { |number| "/gems/x.rb:#{number}:in `call'" }
        text = written do |log|
          log.exception("application failed", failure(["#{Dir.pwd}/app/shop.rb:7:in `buy'", *gems]), path: "/x")
        end

        assert_equal <<~TEXT.gsub(/^/, "    "), text.lines.drop(1).join
          RuntimeError: first line
            second line
            app/shop.rb:7:in `buy'
            /gems/x.rb:0:in `call'
            /gems/x.rb:1:in `call'
            /gems/x.rb:2:in `call'
            ... 6 more outside of the application
          caused by ArgumentError: the cause
            lib/cause.rb:1
        TEXT
      end

      test "hints to an error follow its reason, unless they fail" do
        hinted = Class.new(RuntimeError) { def detailed_message(**) = "#{super}\n\n  buy 1\n\e[1mDid you mean?  by" }
        failing = Class.new(RuntimeError) { def detailed_message(**) = raise(NotImplementedError) }
        lines = [hinted, failing].map do |kind|
          written { |log| log.exception("application failed", kind.new("first\nsecond")) }.lines.drop(1)
        end
        skip "hints are a part of the message before Ruby 3.2" unless Exception.method_defined?(:detailed_message)

        assert_equal ["      second\n", "        buy 1\n", "      \\u{1b}[1mDid you mean?  by\n"], lines[0].drop(1)
        assert_equal ["      second\n"], lines[1].drop(1)
      end

      test "frames below a working directory with any name are relative, in any locale" do
        place = "/srv/é/app/shop.rb:7:in 'buy'"
        pages = [%w[UTF-8 UTF-8], %w[US-ASCII BINARY]].map do |frames, directory| # in a UTF-8 locale, and in that of C
          error = failure([place.dup.force_encoding(frames)])
          folder = "/srv/é".dup.force_encoding(directory)
          Dir.stub(:pwd, folder) { written { |log| log.exception("application failed", error) } }
        end

        pages.each { |page| assert_includes page, "    app/shop.rb:7:in 'buy'\n" }
      end

      test "a backtrace is shown when the working directory is deleted" do
        page = Dir.stub(:pwd, -> { raise Errno::ENOENT }) do
          written { |log| log.exception("application failed", failure(["/srv/old/app/shop.rb:7"])) }
        end

        assert_includes page, "    /srv/old/app/shop.rb:7\n"
      end

      test "a backtrace in a field is shown below the line" do
        assert_match(/request timed out  path \/x\n      app\/a\.rb:1\n      app\/b\.rb:2\n\z/,
          written { |log| log.error("request timed out", path: "/x", backtrace: "app/a.rb:1\napp/b.rb:2") })
      end

      test "the format follows the terminal, and the environment's wish for colours" do
        skip "the environment forces colours" if ENV["FORCE_COLOR"] || ENV["CLICOLOR_FORCE"]
        page = StringIO.new
        assert_equal [false, false, false, true],
          (%i[auto text json terminal].map { |format| Output.for_people?(page, format: format) })

        page.define_singleton_method(:tty?) { true }
        assert_equal [true, false, false, true],
          (%i[auto text json terminal].map { |format| Output.for_people?(page, format: format) })
      end

      private

      def written(size: nil, colour: false, unicode: true)
        page = Page.new(TerminalFormat.new(Screen.new(size, colour, unicode)), "")
        yield Log.new(page, role: :monitor, level: :debug)
        page.text
      end

      def failure(backtrace)
        raise ArgumentError, "the cause", ["lib/cause.rb:1"]
      rescue ArgumentError
        begin
          raise RuntimeError, "first line\nsecond line", backtrace
        rescue RuntimeError => error
          error
        end
      end
    end
  end
end
