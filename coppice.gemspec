# frozen_string_literal: true

require_relative "lib/coppice/version"

Gem::Specification.new do |gem|
  gem.name = "coppice"
  gem.version = Coppice::VERSION
  gem.authors = ["The Coppice authors"]
  gem.license = "MIT"
  gem.summary = "A preforking Rack server whose workers share the memory of the warmest one"
  gem.description = "Coppice serves Rack applications with many small single-threaded processes. Every so often it " \
                    "forks them again from the warmest one, so that all share its memory, caches and JIT code."

  gem.required_ruby_version = ">= 3.1"
  gem.add_dependency "rack", ">= 2.2", "< 4"

  gem.files = Dir["lib/**/*.rb", "ext/**/*.{c,h,rb}", "exe/*", "docs/**/*.md", "LICENSE", "README.md", "CHANGELOG.md"]
  gem.bindir = "exe"
  gem.executables = ["coppice"]
  gem.extensions = ["ext/coppice/extconf.rb"]
  gem.metadata = { "rubygems_mfa_required" => "true" }
end
