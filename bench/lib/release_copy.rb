# frozen_string_literal: true

require "fileutils"
require "json"
require "open3"
require_relative "setup"

module Bench
  # What a container's image has, in a folder of its own: Coppice, the example application and their gems. The kernel
  # shares no page of it with another copy. Ruby and the system's libraries are those of the machine, as those of a base
  # image are. The folder with the database is that of the original, as a volume would be.
  class ReleaseCopy
    PARTS = %w[lib exe ext coppice.gemspec README.md CHANGELOG.md LICENSE].freeze
    SHOP = "examples/rails_shop"
    MADE = %w[storage log tmp].freeze # in the shop's folder, by programs
    # Of each gem of the bundle below vendor/bundle: its folder, its compiled extensions, its specification.
    GEMS = "puts JSON.generate(Gem.loaded_specs.values.flat_map { |one| " \
           "[one.full_gem_path, one.extension_dir, one.loaded_from] })"

    attr_reader :folder #: String

    #: (String) -> void
    def initialize(name)
      @folder = File.join(Setup::FOLDER, "copies", name)
    end

    # Arguments for the Plan of a server that runs in it.
    #: () -> Hash[Symbol, untyped]
    def plan
      { app: path("#{SHOP}/config.ru"), gemfile: gemfile, checkout: folder,
        environment: { "BUNDLE_PATH" => path("vendor/bundle") } }
    end

    # Makes it anew, from this checkout of Coppice.
    #: (String) -> self
    def make(checkout)
      FileUtils.rm_rf(folder)
      PARTS.each { |part| copy(File.join(checkout, part), part) }
      (Dir.children(Setup::EXAMPLE) - MADE).each { |part| copy_of("#{SHOP}/#{part}") }
      File.symlink(File.join(Setup::EXAMPLE, "storage"), path("#{SHOP}/storage"))
      FileUtils.mkdir_p(%w[log tmp].map { |part| path("#{SHOP}/#{part}") })
      Dir.glob("bench/Gemfile.shop*", base: Setup::ROOT).each { |part| copy_of(part) }
      gems.each { |part| copy_of(part) }
      self
    end

    private

    def path(part) = File.join(folder, part)
    def gemfile = path("bench/Gemfile.shop")
    def copy_of(part) = copy(File.join(Setup::ROOT, part), part)

    def copy(source, part)
      FileUtils.mkdir_p(File.dirname(path(part)))
      FileUtils.cp_r(source, path(part), preserve: true)
    end

    # Paths below the project.
    def gems
      original = File.join(Setup::ROOT, "bench/Gemfile.shop")
      output, status = Open3.capture2(Setup.environment(original), RbConfig.ruby, "-rbundler/setup", "-rjson", "-e",
        GEMS, unsetenv_others: true)
      raise Failure, "the gems of #{original} are unknown" unless status.success?

      bundle = File.join(Setup::ROOT, "vendor/bundle/")
      JSON.parse(output).select { |file| file.start_with?(bundle) && File.exist?(file) }
          .map { |file| file.delete_prefix("#{Setup::ROOT}/") }
    end
  end
end
