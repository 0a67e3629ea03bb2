# frozen_string_literal: true

require "coppice/board"
require "coppice/fork_safety/finding"
require "coppice/roles"
require "coppice/stats/records"

module Coppice
  class Stats
    # What has happened to the server's processes: exits, promotions, what refork_after :auto weighs, and what the fork
    # audit has found.
    class Events
      include Records

      #: (Board) -> void
      def initialize(board)
        @board = board
      end

      #: () -> Hash[Symbol, untyped]
      def to_h
        { exits: exits, recent_exits: recent_exits, reforks: reforks, promotions: promotions, ledger: ledger,
          fork_audit: fork_audit }
      end

      private

      # By role and cause.
      def exits
        counts = @board.exits.each_slice(Board::EXIT_CAUSES_ROOM).to_a
        Roles::TABLE.to_h do |role|
          [role.name, Board::EXIT_CAUSES.zip(counts[Roles.number(role.name) - 1]).to_h]
        end
      end

      def recent_exits = newest(:exit_record, @board.exits_count, Board::EXITS_KEPT).map { |values| exit_of(values) }

      def exit_of(values)
        signal = values[:signal]
        { time: values[:time_ms] / 1000.0, role: Roles.name_of(values[:role]).to_s, slot: known(values[:nr]),
          name: text(values[:service_name]),
          generation: values[:generation], pid: values[:pid].zero? ? nil : values[:pid],
          cause: Board::EXIT_CAUSES.fetch(values[:cause]), signal: (Signal.signame(signal) unless signal.zero?),
          status: known(values[:status]), requests: values[:requests], age: seconds(values[:age_ms]),
          request: text(values[:request]), request_age: seconds(values[:request_age_ms]),
          peak_memory: bytes(values[:peak_kib]) }
      end

      def reforks
        counts = @board.reforks.each_slice(Board::REFORK_OUTCOMES.size).to_a
        Board::REFORK_REASONS.zip(counts).flat_map do |reason, numbers|
          Board::REFORK_OUTCOMES.zip(numbers).map do |outcome, count|
            { reason: reason, refork: refork?(reason), outcome: outcome, count: count }
          end
        end
      end

      # A promotion may also be that of a cold mold, or a roll.
      def refork?(reason) = !Board::NO_REFORKS.include?(reason)

      def promotions
        newest(:promotion_record, @board.promotions_count, Board::PROMOTIONS_KEPT).map { |values| promotion_of(values) }
      end

      def promotion_of(values)
        reason = Board::REFORK_REASONS.fetch(values[:reason])
        phases = [:fork, :prepare, :trial, :rollout].to_h { |phase| [phase, micro(values[:"#{phase}_us"])] }
        { generation: values[:generation], time: values[:time_ms] / 1000.0,
          reason: reason, refork: refork?(reason), outcome: outcome(values[:outcome]),
          template_slot: known(values[:template_nr]), phases: phases, workers: known(values[:workers]),
          private_before: bytes(values[:private_before_kib]), private_after: bytes(values[:private_after_kib]),
          first_request_seconds: micro_if_known(values[:first_request_us]),
          median_seconds: micro_if_known(values[:median_us]) }
      end

      def outcome(number) = number.zero? ? nil : Board::REFORK_OUTCOMES.fetch(number - 1)

      def ledger
        values = @board.ledger.to_h
        return if values[:judgements].zero?

        { waste: values[:waste_kib] * 1024, rebuilt: values[:rebuilt_kib] * 1024, total: values[:total_kib] * 1024,
          gain_requests: values[:gain_requests], cost_requests: values[:cost_requests],
          headroom: values[:headroom_permille] / 1000.0, served: values[:served],
          growth_per_request: values[:growth_bytes], due_in_requests: known(values[:due_in_requests]),
          resting_for: seconds(values[:resting_ms]) }
      end

      # Each cause once, newest first.
      def fork_audit
        recent = newest(:finding_record, @board.findings_count, Board::FINDINGS_KEPT).map { |values| finding_of(values) }
        { findings: @board.audit_findings, refused: @board.refused_commits, recent: recent }
      end

      def finding_of(values)
        name, kind = ForkSafety::Finding::KINDS.to_a.fetch(values[:kind])
        { time: values[:time_ms] / 1000.0, kind: name, message: kind.message, owner: text(values[:owner]),
          generation: values[:generation] }
      end

      # Of a duration that is 0 while it is unknown.
      def micro_if_known(microseconds) = positive(microseconds)&./(1e6)
    end
  end
end
