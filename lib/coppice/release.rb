# frozen_string_literal: true

require "rbconfig"
require "coppice/executable"
require "coppice/state"

module Coppice
  # The application's code as it lies in one directory, with what a process needs to boot it: the configuration that it
  # has there, the variables, the Ruby and this server's executable in its bundle. A server begins with release 1;
  # `coppice roll` brings the next one. Belongs to the monitor, and is never changed.
  Release = Struct.new(
    :number,       # Integer
    :directory,    # String -- of the application, without symlinks
    :settings,     # Config::Settings
    :environment,  # Hash[String, String] -- of its molds
    :ruby,         # String -- the interpreter's path
    :interpreter,  # String -- which one it is, see State::INTERPRETER
    :executable,   # String -- exe/coppice of the release's bundle
    :not_in_force, # Array[String]? -- what its configuration asks for and only a restart brings, for people
    keyword_init: true
  ) do
    # The release that a server begins with. Its rackup file and its configuration file are named from its directory,
    # so that each release has its own, also where the user or `rackup` has given an absolute path.
    #: (Config::Settings, ?environment: Hash[String, String]) -> Release
    def self.first(settings, environment: ENV.to_h)
      directory = Dir.pwd
      settings = settings.with_files(rackup: below(directory, settings.rackup),
                                     config_file: settings.config_file&.then { |path| below(directory, path) })
      new(number: 1, directory: directory, settings: settings, environment: environment, ruby: RbConfig.ruby,
          interpreter: State::INTERPRETER, executable: EXECUTABLE).freeze
    end

    # The path of a file from the directory, which the path may name by a symlink. A file elsewhere keeps its path.
    #: (String, String) -> String
    def self.below(directory, path)
      folder = full = File.expand_path(path, directory)
      until folder == "/"
        folder = File.dirname(folder)
        return full.delete_prefix(File.join(folder, "")) if File.identical?(folder, directory)
      end
      path
    end
    private_class_method :below

    # What a deployment has written into the file REVISION, as Capistrano does; otherwise the directory's name.
    #: () -> String
    def revision
      text = File.read(File.join(directory, "REVISION"), 64).to_s[/\A[[:graph:]]+/]
      text ? text[0, 40] : File.basename(directory)
    rescue SystemCallError
      File.basename(directory)
    end

    # For people.
    #: () -> String
    def to_s = "release #{number} (#{revision})"

    # The same release, which begins with this generation.
    #: (Integer) -> Release
    def from_generation(generation)
      self.class.new(**to_h, settings: settings.following(settings, first_generation: generation)).freeze
    end

    #: () -> Hash[Symbol, untyped]
    def to_log = { release: number, directory: directory, revision: revision }
  end
end
