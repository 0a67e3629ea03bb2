# frozen_string_literal: true

require_relative "../../test_helper"
require_relative "../../support/answer_rings"

# The ring of a worker's answers (ext/coppice/shared/answer_ring.c).
class AnswerRingTest < Coppice::TestCase
  test "all bytes arrive in order, whatever their pieces and however full the ring" do
    records, skips = Coppice::AnswerRings.run("stream", Minitest.seed, 2000)

    assert_equal 2000, records
    assert_operator skips, :>, 0
  end

  test "a reader notices much of what a writer spoils, and never looks outside" do
    rounds, spoilt = Coppice::AnswerRings.run("spoil", Minitest.seed, 500)

    assert_operator spoilt, :>, rounds / 5
  end
end
