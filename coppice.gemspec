# frozen_string_literal: true

require_relative "lib/coppice/version"

# The public addresses of the project. Those that do not exist yet are nil, and left out of the gem.
# The repository's page has no slash at its end.
repository = nil
homepage = repository

Gem::Specification.new do |gem|
  gem.name = "coppice"
  gem.version = Coppice::VERSION
  gem.authors = ["The Coppice authors"]
  gem.license = "MIT"
  gem.summary = "A preforking Rack server whose workers share the memory of the warmest one"
  gem.description = "Coppice serves Rack applications with many small single-threaded processes. Every so often it " \
                    "forks them again from the warmest one, so that all share its memory, caches and JIT code."
  gem.homepage = homepage if homepage
  gem.metadata = {
    "rubygems_mfa_required" => "true",
    "source_code_uri" => repository && "#{repository}/tree/v#{gem.version}",
    "changelog_uri" => repository && "#{repository}/blob/v#{gem.version}/CHANGELOG.md",
    "documentation_uri" => repository && "#{repository}/blob/v#{gem.version}/README.md",
    "bug_tracker_uri" => repository && "#{repository}/issues"
  }.compact

  gem.required_ruby_version = ">= 3.1"
  gem.add_dependency "rack", ">= 2.2", "< 4"

  # Pages for who runs a server: no images, and none for who changes Coppice.
  gem.files = Dir.glob(["lib/**/*.rb", "lib/coppice/tools/dashboard/assets/**/*.*", "ext/**/*.{c,h,rb}", "exe/*",
                        "docs/*.md", "{README,CHANGELOG,SECURITY}.md", "LICENSE"], base: __dir__)
  gem.extra_rdoc_files = ["README.md", "CHANGELOG.md"]
  gem.bindir = "exe"
  gem.executables = ["coppice"]
  gem.extensions = ["ext/coppice/extconf.rb"]
end
