# frozen_string_literal: true

require "etc"
require "fileutils"
require_relative "setup"

module Bench
  # The page with the results of a benchmark: command, machine, versions and tables. It is printed, and saved as
  # bench/results/NAME.md with its pictures.
  class Report
    FOLDER = File.join(Setup::ROOT, "bench/results").freeze

    #: (String, name: String, plans: Array[Plan], command: String) -> void
    def initialize(title, name:, plans:, command:)
      @name = name
      @plans = plans
      @pictures = {} # file name => SVG
      @parts = ["# #{title}", "", "`#{command}`", "", *facts]
    end

    #: (String) -> void
    def text(paragraph)
      @parts << "" << paragraph
    end

    #: (String) -> void
    def section(title)
      @parts << "" << "## #{title}"
    end

    # `head` has the names of the columns. The first column is aligned left, all others right.
    #: (Array[String], Array[Array[untyped]]) -> void
    def table(head, rows)
      rule = ["---"] + (["---:"] * (head.size - 1))
      @parts << "" << [head, rule, *rows].map { |row| "| #{row.join(" | ")} |" }.join("\n")
    end

    # An SVG that is saved beside the page, and embedded in it.
    #: (String, alt: String, svg: String) -> void
    def picture(name, alt:, svg:)
      file = "#{@name}-#{name}.svg"
      @pictures[file] = svg
      text "![#{alt}](#{file})"
    end

    #: () -> String
    def to_s = "#{@parts.join("\n")}\n"

    #: () -> String the path it was written to
    def write
      FileUtils.mkdir_p(FOLDER)
      @pictures.merge("#{@name}.md" => to_s).each { |file, content| File.write(File.join(FOLDER, file), content) }
      File.join(FOLDER, "#{@name}.md")
    end

    private

    def facts
      time = Time.now.utc.strftime("%Y-%m-%d %H:%M UTC")
      yjit = @plans.any? { |plan| plan.environment["RUBY_YJIT_ENABLE"] == "1" }
      tuning = ENV.to_h.select { |name, _| name.match?(Setup::TUNING) }.map { |name, value| "#{name}=#{value}" }
      [
        "- #{time}, #{processor}, #{Etc.nprocessors} cores, Linux #{Etc.uname[:release]}",
        "- #{RUBY_DESCRIPTION}#{" with YJIT in the servers" if yjit}",
        "- #{versions.join(", ")}",
        preloaded,
        ("- environment: #{tuning.join(" ")}" if tuning.any?),
        "- load average before: #{File.read("/proc/loadavg").split.first} (other load makes every figure worse)"
      ].compact
    end

    # What `allocator :auto` finds on this machine. The other servers have the system's malloc.
    def preloaded
      ours = @plans.select { |plan| plan.server.gem == "coppice" && plan.settings.to_a.grep(/\Aallocator/).empty? }
      return if ours.empty? || ENV.key?("LD_PRELOAD")

      require "coppice/allocator" # from the checkout that Library has chosen
      library = Coppice::Allocator.library(:auto)
      "- coppice preloads #{File.basename(library)}" if library
    end

    def processor = File.read("/proc/cpuinfo")[/^model name\s*: (.*)/, 1] || RbConfig::CONFIG["arch"]

    def versions
      servers = @plans.uniq { |plan| [plan.server.name, plan.checkout] }
      rack = servers.find(&:gemfile)
      [*servers.map { |plan| "#{plan.server.name} #{plan.version}" }, *("rack #{rack.locked("rack")}" if rack)]
    end
  end
end
