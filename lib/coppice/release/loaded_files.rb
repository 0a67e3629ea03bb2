# frozen_string_literal: true

require "rbconfig"

module Coppice
  # The files of releases that this process has loaded, for their configuration files and hooks. Ruby loads a file once;
  # but it may be another release's turn by now, or the file may have changed. Belongs to the monitor.
  class LoadedFiles
    # Folders of Coppice and of Ruby, which may lie below a release's directory as well.
    LIBRARIES = [File.expand_path("../..", __dir__),
                 *RbConfig::CONFIG.values_at("rubylibprefix", "rubyarchdir", "sitearchdir", "vendorarchdir")].freeze

    # names: of the first release's directory, with and without symlinks.
    #: (Array[String]) -> void
    def initialize(names)
      @directories = names
      @present = names.first
      note
    end

    # Has `require` load them anew for the release in this directory, but for those that are the same as in the last
    # call. The files of gems and of Coppice stay, also where they are installed below a release's directory: the
    # process has those of one bundle.
    #: (String) -> void
    def forget_for(directory)
      same = directory == @present
      @present = directory
      @directories |= [directory]
      gone = paths.reject { |path| same && @stamps.key?(path) && @stamps[path] == stamp(path) }
      $LOADED_FEATURES.reject! { |path| gone.include?(path) }
    end

    # The files that were loaded by now are as they are at this moment.
    #: () -> void
    def note = @stamps = paths.to_h { |path| [path, stamp(path)] }

    private

    def paths
      libraries = self.libraries
      $LOADED_FEATURES.select { |path| below?(path, @directories) && !below?(path, libraries) }
    end

    def stamp(path)
      stat = File.stat(path)
      [stat.ino, stat.size, stat.mtime]
    rescue SystemCallError # it is gone
      nil
    end

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
