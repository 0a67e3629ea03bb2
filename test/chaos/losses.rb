# frozen_string_literal: true

module Chaos
  # Lays each lost request at the door of one process that a fault hit: a death costs its own request and no other.
  class Losses
    SERVED = /^(\d+) (\d+)$/

    #: (Victims, served: String) -> void
    def initialize(victims, served:)
      @victims = victims
      @servers = served.scan(SERVED).to_h { |id, pid| [id.to_i, pid.to_i] }
      @charged = {}
    end

    # Those that nothing excuses, in words. deserted_at: from when on nobody saw to clients who waited.
    #: (Array[Client::Lost], ?deserted_at: Float) -> Array[String]
    def unexcused(lost, deserted_at: Float::INFINITY)
      seen, unseen = lost.partition { |request| @servers.key?(request.id) }
      unseen = unseen.reject { |request| request.at >= deserted_at }
      seen.reject { |request| charge(@servers[request.id], request) }.map { |request| in_words(request) } +
        unseen.reject { |request| charge(anybody, request) }.map { |request| in_words(request) }
    end

    private

    # A victim that has nothing to answer for yet: it may have died between accept and the application.
    def anybody = @victims.excused.map(&:pid).find { |pid| !@charged.key?(pid) }

    # false when no fault excuses that process, or it has lost another request already.
    def charge(pid, request)
      return false if pid.nil? || @charged.key?(pid) || !@victims[pid]&.excused

      @charged[pid] = request
      true
    end

    def in_words(request)
      pid = @servers[request.id]
      "request #{request.id} was lost (#{request.reason}), #{pid ? "served by #{pid}, #{story(pid)}" : 'seen by nobody'}"
    end

    def story(pid)
      return "which lost #{@charged[pid].id} as well" if @charged.key?(pid)

      "hit by #{@victims[pid]&.faults || 'nothing'}"
    end
  end
end
