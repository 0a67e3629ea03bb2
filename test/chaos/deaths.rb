# frozen_string_literal: true

module Chaos
  # Holds the server's log against what was done to its processes: each death is told once, with its cause, and nobody
  # died whom nothing had hit.
  class Deaths
    LINE = /msg="\w+ exited" child=(?<role>\w+).*?why=(?<why>\w+)/
    # A copy of a process that was starved is starved as well.
    STARVED = /pid=(\d+) msg="[^"]* failed" error=Errno::EMFILE/
    OWN_ERRORS = /^.*\b(?:NoMethodError|NameError|TypeError|FrozenError|ArgumentError|KeyError|Coppice::Bug|ProtocolMismatch)\b.*$/

    Death = Struct.new(:pid, :role, :why)

    #: (String) -> void
    def initialize(log)
      @deaths = log.each_line.filter_map do |line|
        found = LINE.match(line) or next
        Death.new(line[/child_pid=(\d+)/, 1]&.to_i, found[:role], found[:why])
      end
      @starved = log.scan(STARVED).map { |(pid)| pid.to_i }
      @own_errors = log.scan(OWN_ERRORS)
    end

    # How many ended for each cause.
    #: () -> Hash[String, Integer]
    def causes = @deaths.map(&:why).tally

    # What the log leaves open or says wrongly.
    #: (Victims) -> Array[String]
    def complaints(victims)
      @own_errors.map { |line| "an error of the server's own: #{line}" } + told_twice + untold(victims) + unexplained(victims)
    end

    # Deaths that must have been, and that the log does not have.
    #: (Victims) -> Array[String]
    def untold(victims)
      victims.certain.reject { |victim| named.key?(victim.pid) }
             .map { |victim| "no word of the end of #{victim.pid} (#{victim.faults.join(', ')})" }
    end

    private

    # A death without a pid is that of a child that was never forked: a fault hit who should have done it.
    def named = @named ||= @deaths.select(&:pid).group_by(&:pid)

    def told_twice
      named.select { |_, deaths| deaths.size > 1 }.map { |pid, deaths| "#{pid} ended twice: #{deaths.map(&:why)}" }
    end

    def unexplained(victims)
      named.values.flatten.reject { |death| explained?(death, victims[death.pid]) }
           .map { |death| "#{death.role} #{death.pid} ended, why=#{death.why}, hit by #{victims[death.pid]&.faults || 'nothing'}" }
    end

    # A mold that boots takes a signal that asks as every Ruby does; anybody a second one, while its Ruby already ends.
    def told_by_default?(death, victim) = victim && victim.told >= (death.role == "mold" ? 1 : 2)

    def explained?(death, victim)
      return true if victim&.causes&.include?(death.why)

      case death.why
      when "asked", *Victims::LIMITS then true # a limit that is passed on a busy machine is counted, see `causes`
      when "signal" then told_by_default?(death, victim)
      when "failed" then @starved.include?(death.pid)
      else false
      end
    end
  end
end
