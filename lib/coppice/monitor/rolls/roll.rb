# frozen_string_literal: true

module Coppice
  class Monitor
    # One wish for another release, by `coppice roll` or `coppice rollback`, from the moment when it is asked for until
    # it is decided: then the release is committed, or given up. It holds facts only.
    Roll = Struct.new(
      :kind,      # Symbol -- :roll or :rollback
      :directory, # String -- of the release, without symlinks
      :asked_by,  # String -- a signal, or a user and a process
      :asked_at,  # Float -- monotonic seconds
      :release,   # Release? -- once its directory is checked; it can be booted then
      :canary,    # Canary::Verdict? -- nil without one
      :outcome,   # Symbol? -- :committed or :given_up; nil before
      :reason,    # String? -- why it was given up
      :message,   # String? -- the same with what may tell a secret: for its user and the log only
      keyword_init: true
    ) do
      #: () -> bool
      def rollback? = kind == :rollback

      #: () -> bool
      def decided? = !outcome.nil?

      # Whether the release can be booted.
      #: () -> bool
      def prepared? = !release.nil? && !decided?

      # Whether this is the release that it is about to boot, or has booted.
      #: (Release) -> bool
      def awaits?(other) = prepared? && other.number == release.number

      #: () -> void
      def commit = self.outcome = :committed

      #: (String, ?String?) -> void
      def give_up(reason, message = nil)
        self.outcome = :given_up
        self.reason = reason
        self.message = message
      end

      #: () -> Hash[Symbol, untyped]
      def to_log = { directory: directory, asked_by: asked_by, release: release&.number }.compact
    end
  end
end
