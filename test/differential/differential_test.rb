# frozen_string_literal: true

require "test_helper"
require "support/conformance_corpus"
require "support/mutations"
require_relative "differences"
require_relative "finding"
require_relative "ours"
require_relative "peer_process"

module Coppice
  # Requests of test/conformance and mutations of them, read by us and by other servers. What differs must be known.
  #
  # The same mutations each time, so that a failure is one of the change at hand. More, and others:
  # COPPICE_MUTATIONS=50000 COPPICE_MUTATIONS_SEED=7 bin/differential
  class DifferentialTest < TestCase
    SEED = Integer(ENV.fetch("COPPICE_MUTATIONS_SEED", 1))
    COUNT = Integer(ENV.fetch("COPPICE_MUTATIONS", 4000))

    # Beyond are cases for limits, and everybody has limits of his own.
    LONGEST = 8000

    PeerProcess::NAMES.each do |name|
      test "#{name} reads requests as we do, but for the known differences" do
        peer = ready(name)
        unknown = findings(peer, requests).reject { |finding| Differences::ALL.any? { |difference| difference.covers?(finding) } }
        assert_empty unknown.first(10).map(&:to_s), "seed #{SEED}: #{unknown.size} differences that are in no class, such as"
      end

      test "#{name} still differs in each of them" do
        peer = ready(name)
        known = Differences::ALL.select { |difference| difference.peers.include?(name) }
        found = findings(peer, known.flat_map(&:examples).uniq)
        assert_empty(known.reject { |difference| difference.shown_by?(found) }.map(&:what))
      end
    end

    test "no request is read in another way when another was read before" do
      ours = Ours.new
      first = requests.first(500).map { |request| ours.read(request) }
      assert_equal first.reverse, requests.first(500).reverse.map { |request| ours.read(request) }
    end

    private

    def ready(name)
      peer = PeerProcess.new(name)
      missing = peer.missing
      skip "#{name}: #{missing}" if missing
      peer
    end

    def requests
      originals = ConformanceCorpus.cases.map(&:bytes).select { |bytes| bytes.bytesize < LONGEST }
      (originals + Mutations.new(SEED).of(originals, COUNT)).uniq
    end

    def findings(peer, requests)
      ours = Ours.new
      requests.zip(peer.read(requests)).flat_map do |request, theirs|
        Finding.all(peer: peer.name, request: request, ours: ours.read(request), theirs: theirs)
      end
    end
  end
end
