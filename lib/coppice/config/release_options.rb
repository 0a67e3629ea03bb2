# frozen_string_literal: true

require "coppice/config/groups"
require "coppice/config/maximum"
require "coppice/config/option"
require "coppice/config/types"
require "coppice/config/types/amounts"
require "coppice/config/types/process"

module Coppice
  module Config
    # The part of the catalogue of options that is about new code in a running server: `coppice roll` and
    # `coppice rollback`.
    RELEASE_OPTIONS = [
      Option.describe(:directory, Groups::RELEASES, Types::Optional.new(Types::DirectoryPath.new), scope: :server,
        default_text: "nil: the one that the server was started in", since: :coppice,
        example: "directory \"/var/www/app/current\"",
        doc: "The application's directory, usually a symlink; the server resolves it at its start and at each roll " \
             "(docs/deploys.md#the-directory). A path without a symlink, as from `__dir__`, does not replace the " \
             "symlink of the start."),
      Option.describe(:canary, Groups::RELEASES, Types::Boolean.new, scope: :release, default: true, since: :coppice,
        example: "canary false",
        doc: "Whether the first worker of a new mold must prove itself with clients before the commit: for 20 " \
             "requests or 1 s in a refork, for `canary_requests` or `canary_time` in a roll " \
             "(docs/deploys.md#the-canary)."),
      Option.describe(:canary_requests, Groups::RELEASES, Types::Whole.new(minimum: 1, maximum: Maximum::C_INT),
        scope: :release, default: 200, since: :coppice,
        doc: "Requests after which the first worker of a new release is judged."),
      Option.describe(:canary_time, Groups::RELEASES, Types::Seconds.new, scope: :release, default: 60,
        since: :coppice,
        doc: "Maximum time until the first worker of a new release is judged."),
      Option.describe(:rollback_window, Groups::RELEASES, Types::Seconds.new(minimum: 0), scope: :release,
        default: 600, since: :coppice, example: "rollback_window 3600",
        doc: "Time for which the previous mold stays, so that `coppice rollback` needs no boot. It exits early when " \
             "memory is short or another roll begins."),
      Option.describe(:roll_strategy, Groups::RELEASES, Types::OneOf.new(:beside, :lean), scope: :release,
        default: :beside, since: :coppice, example: "roll_strategy :lean",
        doc: "Where a roll finds memory for the second application. `:beside` stops no worker. `:lean` first ends " \
             "`refork_max_unavailable` workers (by default a tenth) until the decision.")
    ].freeze
  end
end
