# frozen_string_literal: true

require "rbconfig"
require "rubygems/package"
require_relative "server"
require_relative "without_bundler"

# The gem, built from this checkout and installed into a folder of gems that holds nothing else but Rack. Everything is
# local: Rack comes from the package that Bundler has kept.
class InstalledGem
  # Changes the environment of these tests to that of a user who does not use Bundler.
  CLEAN = ENV.keys.grep(/\A(?:BUNDLE|GEM_|COPPICE_)/).to_h { |name| [name, nil] }.merge(WITHOUT_BUNDLER).freeze

  attr_reader :specification #: Gem::Specification

  # folder: one that exists, and that the caller removes.
  def initialize(folder)
    @folder = folder
    @specification = Gem::Specification.load(File.join(Dir.pwd, "coppice.gemspec"))
  end

  # The folder of gems, and its programs.
  def home = File.join(@folder, "gems")
  def executable = File.join(home, "bin", "coppice")

  # For programs that should find these gems and no others.
  def environment
    CLEAN.merge("GEM_HOME" => home, "GEM_PATH" => home, "PATH" => "#{File.dirname(executable)}:#{ENV.fetch('PATH')}")
  end

  # env: for the build of the extension.
  def install(env: {})
    package = File.join(@folder, "coppice.gem")
    run("gem", "build", "--silent", "coppice.gemspec", "--output", package, chdir: Dir.pwd)
    run("gem", "install", "--local", "--no-document", "--bindir", File.dirname(executable), rack_package, package,
      env: env)
  end

  # Runs a command of this Ruby, such as gem or bundle, to its end.
  def run(name, *arguments, env: {}, chdir: @folder)
    log = File.join(@folder, "#{name}.log")
    done = system(environment.merge(env), RbConfig.ruby, "-S", name, *arguments, chdir: chdir, %i[out err] => log)
    raise "#{name} #{arguments.first} failed:\n#{File.read(log)}" unless done
  end

  private

  def rack_package = Gem.loaded_specs.fetch("rack").cache_file

  # A server that is started by the program of the installed gem.
  class Server < ::Server
    # command: the words that start it.
    def initialize(command:, **options)
      super(**options)
      @command = command
    end

    private

    attr_reader :command
  end
end
