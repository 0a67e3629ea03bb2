# frozen_string_literal: true

require "test_helper"
require "coppice/tools/doctor/chain"
require "coppice/tools/doctor/diagnosis"
require "coppice/tools/doctor/text_report"

module Coppice
  module Doctor
    class TextReportTest < TestCase
      DIAGNOSIS = Struct.new(:verdict, :failures, :findings, :unsafe_calls, :stray_copies, :answers, :libraries, :notes,
        :not_seen, :boot_failure, :caveat, keyword_init: true)
      NOTHING = { failures: [], findings: [], unsafe_calls: [], stray_copies: [], answers: [], libraries: [],
                  notes: [], not_seen: [] }.freeze

      def report(all: false, **facts)
        TextReport.new(DIAGNOSIS.new(verdict: :care, **NOTHING, **facts), all: all).text.lines(chomp: true)
      end

      def library(name, used: true, **facts)
        Libraries::Library.new(name: name, version: "1.0", verdict: "some verdict", used: used, **facts)
      end

      def libraries
        [library("airbrake", does: "compares the pid", advice: "nothing"), library("appsignal", advice: "`stop` it"),
         library("concurrent-ruby", advice: "nothing for pools. Create a timer anew"),
         library("bunny", advice: "you have a hook; see that it does this", configured: "the hook before_fork"),
         library("pg", verdict: "you handle it yourself", configured: "fork_safety_presets"),
         library("solid_queue", used: false, advice: "start a service"), library("vips", used: false, does: "nothing."),
         library("sequel", severity: :care, advice: "disconnect")]
      end

      test "libraries without anything to do are names, after those that need something, used or not" do
        assert_equal ["needs care: the library sequel 1.0", "  verdict: some verdict", "  you: disconnect", "",
                      "libraries that may need something of you, depending on their use",
                      "  appsignal 1.0: `stop` it", "  concurrent-ruby 1.0: nothing for pools. Create a timer anew", "",
                      "libraries that are loaded, but that this run has not used: if you use it",
                      "  solid_queue 1.0: start a service", "",
                      "libraries for which you have configured something",
                      "  bunny 1.0: you have a hook; see that it does this", "",
                      "other libraries that Coppice knows (--all prints their rows)",
                      "  you handle them yourself (1): pg", "  nothing to do (2): airbrake, vips"],
          report(libraries: libraries).drop(2)
      end

      test "all libraries have their rows where they are asked for" do
        text = report(libraries: libraries, all: true).join("\n")

        libraries.each { |library| assert_match(/^(?:  |.*the library )#{library.name} 1\.0/, text) }
        assert_includes text, "airbrake 1.0: some verdict\n    Coppice: compares the pid\n  appsignal"
        assert_includes text, "solid_queue 1.0: some verdict\n    if you use it: start a service\n  vips 1.0: "
        refute_includes text, "nothing."
      end

      test "a report without libraries has no section for them" do
        assert_equal 1, report.size
      end

      test "what exits of other processes have changed has a title and a remedy of its own" do
        answer = Answers::Answer.new(path: "/", before: [200], after: { 1 => [200] }, last: [500])
        text = report(answers: [answer])

        assert_includes text, "not safe: answers change once other processes exit: GET /"
        assert_includes text, "  remedy: #{Answers::AFTER_EXITS}"
      end

      test "what is not safe comes before what needs care, whatever it is" do
        care = Diagnosis::Entry.new(kind: :locked, severity: :care, message: "a lock", processes: [])
        danger = Answers::Answer.new(path: "/", before: [200], after: { 1 => [500] }, last: [])
        titles = report(findings: [care], answers: [danger]).grep(/\A(?:not safe|needs care): (?!it may)/)

        assert_equal ["not safe: answers change after a fork: GET /", "needs care: a lock"], titles
      end
    end
  end
end
