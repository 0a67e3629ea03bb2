# frozen_string_literal: true

require "rbconfig"

module Coppice
  # The files of releases that this process has loaded, for their configuration files and hooks. Ruby loads a file once,
  # and by then it may be another release's turn, or the file may have changed. Belongs to the monitor.
  class LoadedFiles
    # Folders of Coppice and of Ruby, which may lie below a release's directory as well.
    LIBRARIES = [File.expand_path("../..", __dir__),
                 *RbConfig::CONFIG.values_at("rubylibprefix", "rubyarchdir", "sitearchdir", "vendorarchdir")].freeze

    # names: of the first release's directory, with and without symlinks.
    #: (Array[String]) -> void
    def initialize(names)
      @directories = names
    end

    # Has `require` load them anew for the release in this directory. The files of gems and of Coppice stay, also where
    # they are installed below a release's directory: the process has those of one bundle.
    #: (String) -> void
    def forget_for(directory)
      @directories |= [directory]
      libraries = self.libraries
      $LOADED_FEATURES.reject! { |path| below?(path, @directories) && !below?(path, libraries) }
    end

    private

    # An application may be a gem itself: its directory is none of a library.
    def libraries
      gems = defined?(::Gem::Specification) ? [*::Gem.path, *::Gem.loaded_specs.values.map(&:full_gem_path)] : []
      [*LIBRARIES, *gems].compact.uniq.reject do |folder|
        @directories.any? { |directory| directory == folder || below?(directory, [folder]) }
      end
    end

    def below?(path, folders) = folders.any? { |folder| path.start_with?(File.join(folder, "")) }
  end
end
