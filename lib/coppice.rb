# frozen_string_literal: true

require "coppice/errors"
require "coppice/version"
require "coppice/coppice_ext"
require "coppice/fork_safety/fork_callbacks"
require "coppice/os/clock"
require "coppice/os/fork_lock"
require "coppice/info"

# What an application and gems may call. See also Coppice::Info.
module Coppice
  # Not loaded where they are not used, as in the monitor.
  autoload :Dashboard, "coppice/dashboard"
  autoload :MemInfo, "coppice/mem_info"

  @fork_lock = OS::ForkLock.new
  @fork_callbacks = ForkSafety::ForkCallbacks.new

  class << self
    attr_reader :fork_lock      #: OS::ForkLock -- taken by the server around each fork
    attr_reader :fork_callbacks #: ForkSafety::ForkCallbacks -- the blocks of at_fork

    # No process is forked from this one while the block runs: for background threads, around calls that take native
    # locks (getaddrinfo, for example), which a child forked at that instant would find locked forever.
    #: [T] () { () -> T } -> T
    def prevent_fork(&block) = fork_lock.synchronize(&block)

    # What the server does and did, as Stats#to_h; empty outside of a server.
    #: () -> Hash[Symbol, untyped]
    def stats = Info.stats ? Info.stats.to_h : {}

    # Registers what the server calls around each fork, without arguments, beside the hooks of the configuration. For
    # gems and for the application, while it boots; each call adds to the ones before. The configuration's own hook for
    # the same moment runs last. What a block raises is logged.
    #
    # before: in the process that is about to fork, a mold or a worker that serves (before_fork).
    # after_in_parent: in the same process right after the fork; what `before` has stopped must start again
    # (after_fork_in_parent).
    # after_in_mold: in each new mold; in the first one when the application is loaded (after_mold_fork).
    # after_in_worker: in each new worker and guest (after_worker_fork), and in the service worker
    # (before_service_worker_ready).
    #: (?before: (^() -> void)?, ?after_in_parent: (^() -> void)?, ?after_in_mold: (^() -> void)?,
    #    ?after_in_worker: (^() -> void)?) -> void
    def at_fork(before: nil, after_in_parent: nil, after_in_mold: nil, after_in_worker: nil)
      fork_callbacks.add({ before: before, after_in_parent: after_in_parent, after_in_mold: after_in_mold,
                           after_in_worker: after_in_worker })
      nil
    end
  end
end

# While the bundle is loaded. Once there is an application it is too late: its hooks may have run.
require "coppice/rails/railtie" if defined?(Rails::Railtie) && Rails.respond_to?(:app_class) && Rails.app_class.nil?
