# frozen_string_literal: true

module Chaos
  # Attributes each lost request to one process that a fault hit. A death may cost one request at most.
  class Losses
    SERVED = /^(\d+) (\d+)$/

    # late: the processes that exceeded a limit of the server itself, as on a machine where they stood still. gaps: the
    # times in which all of it stood still.
    #: (Victims, served: String, ?late: Array[Integer], ?gaps: Array[Range[Float]]) -> void
    def initialize(victims, served:, late: [], gaps: [])
      @victims = victims
      @late = late
      @gaps = gaps
      @servers = served.scan(SERVED).to_h { |id, pid| [id.to_i, pid.to_i] }
      @charged = {}
    end

    # Lost requests that no fault explains, in words. The lobby's faults explain so many of the others, whichever they
    # are. monitor_lost_at: requests that no worker had accepted at this time are excused. So are those of a client that
    # was slow to send them, unless a worker got them, those that were overdue, and those in flight during a gap.
    #: (Array[Client::Lost], ?monitor_lost_at: Float) -> Array[String]
    def unexcused(lost, monitor_lost_at: Float::INFINITY)
      seen, unseen = lost.reject { |request| in_gap?(request) }.partition { |request| @servers.key?(request.id) }
      unseen = unseen.reject { |request| request.slow || request.at >= monitor_lost_at }
      unexcused = seen.reject { |request| charge(@servers[request.id], request) } +
                  unseen.reject { |request| charge(any_victim, request) }
      unexcused.reject(&:overdue).drop(@victims.lobby_losses).map { |request| in_words(request) }
    end

    private

    def in_gap?(request) = @gaps.any? { |gap| gap.begin < request.at && request.began < gap.end }

    # A victim without a lost request: it may have died between accept and the application.
    def any_victim = (@victims.excused.map(&:pid) + @late).find { |pid| !@charged.key?(pid) }

    # false if no fault explains the loss, or the process has lost another request already.
    def charge(pid, request)
      return false if pid.nil? || @charged.key?(pid)
      return false unless @victims[pid]&.excused || @late.include?(pid)

      @charged[pid] = request
      true
    end

    def in_words(request)
      pid = @servers[request.id]
      server = pid ? "served by #{pid}, #{explanation(pid)}" : "which reached no worker"
      "request #{request.id} was lost (#{request.reason}), #{server}"
    end

    def explanation(pid)
      return "which lost #{@charged[pid].id} as well" if @charged.key?(pid)

      "hit by #{@victims[pid]&.faults || 'nothing'}"
    end
  end
end
