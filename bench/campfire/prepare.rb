# frozen_string_literal: true

# Prepares a checkout of Campfire (github.com/basecamp/once-campfire) for `bin/bench ... --app CHECKOUT`: gems,
# assets, a database of examples, and coppice-bench.json, which says how to run it. It is idempotent. The gems go into
# this project's vendor/bundle. Redis must run at localhost:6379, as Campfire knows no other place.
#
#   ruby bench/campfire/prepare.rb CHECKOUT

require "fileutils"
require "json"
require "open3"
require_relative "../lib/setup"

CHECKOUT = File.expand_path(ARGV.fetch(0) { abort "Usage: ruby bench/campfire/prepare.rb CHECKOUT" })
GEMFILE = File.join(CHECKOUT, "Gemfile.bench")
NEEDS = { "Redis" => "localhost:6379" }.freeze
PATHS = [*(1..5).map { |room| "/rooms/#{room}" }, "/rooms/1/@{n}", "/rooms/2/messages", "/users/me/sidebar",
         "/users/{n}", "/searches?q=kernel", "/autocompletable/users?query=user+{n}"].freeze
# The public key is the example of RFC 8291: nothing is pushed to browsers.
ENVIRONMENT = {
  "BUNDLE_WITHOUT" => "development:test", "SECRET_KEY_BASE" => "0" * 128,
  "DISABLE_SSL" => "1", "SKIP_TELEMETRY" => "1", "RAILS_LOG_LEVEL" => "warn",
  "VAPID_PUBLIC_KEY" => "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8",
  "VAPID_PRIVATE_KEY" => "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"
}.freeze

def run(*command)
  warn "prepare: #{command.join(" ")}"
  variables = Bench::Setup.environment(GEMFILE).merge(ENVIRONMENT, "BUNDLE_FROZEN" => nil)
  output, status = Open3.capture2e(variables, *command, chdir: CHECKOUT)
  status.success? ? output : abort("prepare: #{command.join(" ")} failed:\n#{output}")
end

def add_servers
  File.write(GEMFILE, <<~RUBY)
    eval_gemfile "Gemfile"
    gem "coppice", path: #{Bench::Setup::ROOT.dump}
    gem "pitchfork", "0.18.2"
  RUBY
  FileUtils.cp("#{CHECKOUT}/Gemfile.lock", "#{GEMFILE}.lock") unless File.exist?("#{GEMFILE}.lock")
end

def describe(cookie)
  facts = { name: "campfire", rackup: "config.ru", gemfile: "Gemfile.bench", paths: PATHS,
            headers: ["Cookie: #{cookie}"], environment: ENVIRONMENT, needs: NEEDS,
            before_fork: "ActiveRecord::Base.connection_handler.clear_all_connections!" }
  File.write("#{CHECKOUT}/coppice-bench.json", JSON.pretty_generate(facts))
end

add_servers
run("bundle", "install", "--quiet")
run("bundle", "exec", "rails", "db:prepare", "assets:precompile")
describe(run("bundle", "exec", "rails", "runner", File.join(__dir__, "seed.rb")).lines.last.chomp)
