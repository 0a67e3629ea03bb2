# frozen_string_literal: true

# Prepares a checkout of Maybe (github.com/maybe-finance/maybe) for `bin/bench ... --app CHECKOUT`. PostgreSQL must run
# at 127.0.0.1:5432 and let the user postgres in without a password, and Redis at localhost:6379.
#
#   ruby bench/maybe/prepare.rb CHECKOUT

require_relative "../lib/preparation"

MONTH = Time.now.strftime("%b-%Y").downcase.freeze # the example data ends today
PATHS = %W[/ /transactions?page={n} /accounts /budgets/#{MONTH} /categories /family_merchants /tags /rules
           /transfers/new /settings/preferences].freeze
ENVIRONMENT = {
  "SECRET_KEY_BASE" => "0" * 128, "SELF_HOSTED" => "true", "RAILS_FORCE_SSL" => "false", "RAILS_ASSUME_SSL" => "false",
  "RAILS_LOG_LEVEL" => "warn", "POSTGRES_USER" => "postgres", "REDIS_URL" => "redis://localhost:6379/1"
}.freeze

folder = ARGV.fetch(0) { abort "Usage: ruby bench/maybe/prepare.rb CHECKOUT" }
Bench::Preparation.new(folder, name: "maybe", environment: ENVIRONMENT, paths: PATHS,
  needs: { "PostgreSQL" => "127.0.0.1:5432", "Redis" => "localhost:6379" }, seed: File.join(__dir__, "seed.rb")).call
