# frozen_string_literal: true

require "coppice/fork_safety/finding"

module Coppice
  class Monitor
    # Logs what the fork audit has found and notes it on the board: once for each kind and owner, because each
    # generation may find it again. Counts all of it.
    class AuditLog
      MOST = 1000 # kinds and owners that are remembered

      #: (System, Board, Log) -> void
      def initialize(system, board, log)
        @system = system
        @board = board
        @log = log
        @noted = {}
      end

      # findings: of one process, as they travel in a message.
      #: (Handle, Array[Array[untyped]]) -> void
      def note(handle, findings)
        @board.audit_findings += findings.size
        findings.each { |values| note_once(handle, ForkSafety::Finding.new(*values)) }
      end

      private

      def note_once(handle, finding)
        return if @noted.size >= MOST || @noted.key?([finding.kind, finding.owner])

        @noted[[finding.kind, finding.owner]] = true
        put_on_board(handle, finding)
        kind = ForkSafety::Finding::KINDS.fetch(finding.kind)
        fields = { kind: finding.kind, owner: finding.owner, detail: finding.detail }.compact
        @log.warn("fork audit: #{kind.message}", **handle.to_log, **fields, remedy: kind.remedy,
                  see: ForkSafety::Finding::DOCUMENTATION)
      end

      def put_on_board(handle, finding)
        sequence = @board.findings_count + 1
        kind = ForkSafety::Finding::KINDS.keys.index(finding.kind)
        values = { time_ms: @system.unix_ms, kind: kind, generation: handle.generation, owner: finding.owner.to_s }
        @board.finding_record(sequence).fill(sequence, values)
        @board.findings_count = sequence
      end
    end
  end
end
