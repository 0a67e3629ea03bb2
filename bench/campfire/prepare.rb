# frozen_string_literal: true

# Prepares a checkout of Campfire (github.com/basecamp/once-campfire) for `bin/bench ... --app CHECKOUT`. Redis must run
# at localhost:6379, as Campfire knows no other place.
#
#   ruby bench/campfire/prepare.rb CHECKOUT

require_relative "../lib/preparation"

PATHS = [*(1..5).map { |room| "/rooms/#{room}" }, "/rooms/1/@{n}", "/rooms/2/messages", "/users/me/sidebar",
         "/users/{n}", "/searches?q=kernel", "/autocompletable/users?query=user+{n}"].freeze
# The keys are the example of RFC 8291: nothing is pushed to browsers.
ENVIRONMENT = {
  "SECRET_KEY_BASE" => "0" * 128, "DISABLE_SSL" => "1", "SKIP_TELEMETRY" => "1", "RAILS_LOG_LEVEL" => "warn",
  "VAPID_PUBLIC_KEY" => "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8",
  "VAPID_PRIVATE_KEY" => "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"
}.freeze

folder = ARGV.fetch(0) { abort "Usage: ruby bench/campfire/prepare.rb CHECKOUT" }
Bench::Preparation.new(folder, name: "campfire", environment: ENVIRONMENT, paths: PATHS,
  needs: { "Redis" => "localhost:6379" }, seed: File.join(__dir__, "seed.rb")).call
