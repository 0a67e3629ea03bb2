# frozen_string_literal: true

require "coppice/config/loader"

module Coppice
  class CLI
    # The settings that a server begins with. `check`, `cold` and `doctor` read them as `serve` does.
    module ServerSettings
      class << self
        # With the directory of the application. If the option `directory` names another one than that in which the
        # command was started, the process goes there and reads the configuration there. Raises ConfigError, or
        # UsageError for a flag.
        #: (Config::Arguments | Array[String], ?environment: Hash[String, String], ?directory: String)
        #    -> [Config::Settings, String]
        def load(arguments, environment: ENV, directory: Dir.pwd)
          before, name = Dir.pwd, environment["RACK_ENV"]
          settings = read(arguments, environment, directory)
          directory = Dir.pwd unless Dir.pwd == before # by Unicorn's working_directory
          named = settings.directory
          return [settings, directory] if named.nil? || File.identical?(named, directory)
          raise ConfigError, "directory #{named} does not exist" unless File.directory?(named)

          Dir.chdir(named)
          environment["RACK_ENV"] = name # the first reading has set it, which is no name for the second one
          found = read(arguments, environment, Dir.pwd, settled: true)
          return [found, Dir.pwd] if found.config_file || settings.config_file.nil?

          raise ConfigError.new("directory #{named} has no such file", file: settings.config_file,
            remedy: "Put the configuration into that directory, or name it with -c and an absolute path")
        end

        private

        def read(arguments, environment, directory, settled: false)
          Config::Loader.new(arguments: arguments, environment: environment, directory: directory,
                             settled: settled).load
        end
      end
    end
  end
end
