# frozen_string_literal: true

require_relative "releases"
require_relative "victims"

module Chaos
  # Compares the server's log with the faults. Each death must be logged once, with its cause, and each logged death
  # must have a fault as its cause.
  class Deaths
    LINE = /msg="\w+ exited" (?:part=\w+ )?child=(?<role>\w+).*?why=(?<why>\w+)/
    # A hook or the start of a process failed for want of descriptors. A process that is forked from a limited one has
    # the same limit.
    STARVED = /pid=(\d+) msg="[^"]* failed" error=Errno::EMFILE|in the new process (\d+): .*\(Errno::EMFILE\)/
    BUGS = %w[NoMethodError NameError TypeError FrozenError ArgumentError KeyError Coppice::Bug ProtocolMismatch].freeze
    # The mold of a release that raises.
    PREPARED = %r{msg="release is prepared" release=(\d+) directory=\S*/#{Releases::RAISES} }.freeze
    BOOTED = /msg="booting the application" .*child_pid=(\d+) release=(\d+)/.freeze
    OWN_ERRORS = /^.*\b(?:#{Regexp.union(BUGS).source})\b.*$/

    Death = Struct.new(:pid, :role, :why)

    #: (String) -> void
    def initialize(log)
      @deaths = log.each_line.filter_map do |line|
        found = LINE.match(line) or next
        Death.new(line[/child_pid=(\d+)/, 1]&.to_i, found[:role], found[:why])
      end
      @starved = log.scan(STARVED).flatten.compact.map(&:to_i)
      raising = log.scan(PREPARED).flatten
      @raising = log.scan(BOOTED).filter_map { |pid, release| pid.to_i if raising.include?(release) }
      @own_errors = log.scan(OWN_ERRORS)
    end

    # Number of deaths for each cause.
    #: () -> Hash[String, Integer]
    def causes = @deaths.map(&:why).tally

    # The processes that exceeded a limit of the server itself.
    #: () -> Array[Integer]
    def late = @deaths.select { |death| Victims::LIMITS.include?(death.why) }.filter_map(&:pid)

    # Missing, repeated and unexplained deaths in the log, and errors of the server's own code.
    #: (Victims) -> Array[String]
    def complaints(victims)
      own_errors = @own_errors.map { |line| "an error of the server's own: #{line}" }
      own_errors + logged_twice + unlogged(victims) + unexplained(victims)
    end

    # Deaths that must have happened, but are missing in the log.
    #: (Victims) -> Array[String]
    def unlogged(victims)
      victims.certain.reject { |victim| named.key?(victim.pid) }
             .map { |victim| "no log line for the death of #{victim.pid} (#{victim.faults.join(', ')})" }
    end

    private

    # A death without a pid is that of a child that was never forked, because a fault hit its parent.
    def named = @named ||= @deaths.select(&:pid).group_by(&:pid)

    def logged_twice
      named.select { |_, deaths| deaths.size > 1 }.map { |pid, deaths| "#{pid} ended twice: #{deaths.map(&:why)}" }
    end

    def unexplained(victims)
      deaths = named.values.flatten.reject { |death| explained?(death, victims[death.pid]) }
      deaths.map do |death|
        faults = victims[death.pid]&.faults || "nothing"
        "#{death.role} #{death.pid} ended, why=#{death.why}, hit by #{faults}"
      end
    end

    # A signal kills a booting mold by Ruby's default handler, and a service that is exiting already. So does a second
    # signal to any other process that is exiting.
    def killed_by_default_handler?(death, victim)
      victim && victim.signals >= (%w[mold service].include?(death.role) ? 1 : 2)
    end

    def explained?(death, victim)
      return true if victim&.causes&.include?(death.why)

      case death.why
      when "asked", *Victims::LIMITS then true # a busy machine may exceed a limit; `causes` counts these
      when "signal" then killed_by_default_handler?(death, victim)
      when "failed" then @starved.include?(death.pid) || @raising.include?(death.pid)
      else false
      end
    end
  end
end
