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
        doc: "The directory of the application, from which `coppice roll` takes the next release: a symlink such as " \
             "`current`, which each deployment points at another directory. The server resolves it at its start and " \
             "at each roll, goes there, and reads the configuration file there if its name is a relative one. " \
             "A path without a symlink, such as one made of `__dir__`, does not replace the symlink by which the " \
             "server was started."),
      Option.describe(:canary, Groups::RELEASES, Types::Boolean.new, scope: :release, default: true, since: :coppice,
        example: "canary false",
        doc: "Whether the first worker of a new mold has to prove itself with real clients before the mold is " \
             "committed: the worker of a new release for `canary_requests` or `canary_time`, the worker of a refork " \
             "for 20 requests or 1 s. With more failures than the workers beside it the mold is abandoned, and the " \
             "old generation goes on (docs/deploys.md)."),
      Option.describe(:canary_requests, Groups::RELEASES, Types::Whole.new(minimum: 1, maximum: Maximum::C_INT),
        scope: :release, default: 200, since: :coppice,
        doc: "Number of requests after which the first worker of a new release is judged."),
      Option.describe(:canary_time, Groups::RELEASES, Types::Seconds.new, scope: :release, default: 60,
        since: :coppice,
        doc: "Maximum time until the first worker of a new release is judged. If it has served fewer requests than " \
             "`canary_requests` by then, or nobody asks any more, the release is committed unless it has failed."),
      Option.describe(:rollback_window, Groups::RELEASES, Types::Seconds.new(minimum: 0), scope: :release,
        default: 600, since: :coppice, example: "rollback_window 3600",
        doc: "Time for which the mold of the release before stays, idle, after a roll. As long as it is there, " \
             "`coppice rollback` needs no boot. It exits early when memory is short, and when another roll begins. " \
             "0 keeps none."),
      Option.describe(:roll_strategy, Groups::RELEASES, Types::OneOf.new(:beside, :lean), scope: :release,
        default: :beside, since: :coppice, example: "roll_strategy :lean",
        doc: "Where the memory for a second application comes from during a roll. :beside boots it beside all " \
             "workers. :lean ends as many workers as refork_max_unavailable says, or a tenth of them where it says " \
             "nothing, before it boots the new release; one stays at least. They are back when it is committed or " \
             "given up.")
    ].freeze
  end
end
