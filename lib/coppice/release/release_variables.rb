# frozen_string_literal: true

module Coppice
  # The environment variables with which a release is booted. For another directory than the first they are those that
  # the server was started with, without what Bundler has made of them for the first release, and with that directory's
  # Gemfile.
  module ReleaseVariables
    GEMFILE = "BUNDLE_GEMFILE"
    # `bundle exec` of Bundler 4 sets both.
    FILES = [GEMFILE, "BUNDLE_LOCKFILE"].freeze

    # `bundle exec` leaves the value that a variable had before under such a name. Source: Bundler's
    # EnvironmentPreserver.
    PRESERVED = "BUNDLER_ORIG_"
    NOT_SET = "BUNDLER_ENVIRONMENT_PRESERVER_INTENTIONALLY_NIL"

    # from: the names of the first release's directory, with and without symlinks. to: the other directory. Without a
    # Gemfile in use there is none for the other release.
    #: (Hash[String, String], from: Array[String], to: String) -> Hash[String, String]
    def self.of(environment, from:, to:)
      moved({ **original(environment), **environment.slice(GEMFILE) }, from: from, to: to)
    end

    # FILES within one of the directories are those at the same place in the other one, which is named without symlinks.
    # That may be the first release's own: its molds may be booted again when the symlink that names its Gemfile leads
    # to another release.
    #: (Hash[String, String], from: Array[String], to: String) -> Hash[String, String]
    def self.moved(environment, from:, to:)
      folders = from.map { |name| File.join(name, "") }
      environment.to_h do |name, value|
        folder = folders.find { |path| value.start_with?(path) } if FILES.include?(name)
        [name, folder ? File.join(to, value.delete_prefix(folder)) : value]
      end
    end

    # The variables as they were before `bundle exec`.
    def self.original(environment)
      kept, others = environment.partition { |name, _| name.start_with?(PRESERVED) }.map(&:to_h)
      kept.transform_keys! { |name| name.delete_prefix(PRESERVED) }
      others.merge(kept).reject { |_, value| value == NOT_SET }
    end
    private_class_method :original
  end
end
