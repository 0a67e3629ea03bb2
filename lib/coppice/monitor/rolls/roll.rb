# frozen_string_literal: true

module Coppice
  class Monitor
    # One wish for another release, by `coppice roll` or `coppice rollback`, from the moment when it is asked for until
    # it is decided: then the release is committed, or given up. It holds facts only.
    class Roll
      attr_reader :kind      #: Symbol -- :roll or :rollback
      attr_reader :directory #: String -- of the release, without symlinks
      attr_reader :asked_by  #: String -- a signal, or a user and a process
      attr_reader :asked_at  #: Float -- monotonic seconds
      attr_accessor :release #: Release? -- once its directory is checked; it can be booted then
      attr_accessor :canary  #: Canary::Verdict? -- nil without one
      attr_reader :outcome   #: Symbol? -- :committed or :given_up; nil before
      attr_reader :reason    #: String? -- why it was given up
      attr_reader :message   #: String? -- the same with what may tell a secret: for its user and the log only

      #: (kind: Symbol, directory: String, asked_by: String, asked_at: Float, ?release: Release?) -> void
      def initialize(kind:, directory:, asked_by:, asked_at:, release: nil)
        @kind = kind
        @directory = directory
        @asked_by = asked_by
        @asked_at = asked_at
        @release = release
      end

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
      def commit = @outcome = :committed

      #: (String, ?String?) -> void
      def give_up(reason, message = nil)
        @outcome = :given_up
        @reason = reason
        @message = message
      end

      #: () -> Hash[Symbol, untyped]
      def to_log = { directory: directory, asked_by: asked_by, release: release&.number }.compact
    end
  end
end
