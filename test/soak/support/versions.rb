# frozen_string_literal: true

require_relative "kept_alive_clients"

# The versions that clients may see: one, or two while a roll is under way.
class Versions
  #: (String) -> void
  def initialize(first)
    @periods = [[first]]
    @lock = Mutex.new
  end

  # From now on clients may see these, and no others.
  #: (*String) -> void
  def allow(*versions) = @lock.synchronize { @periods << versions }

  # The number of this period.
  #: () -> Integer
  def period = @lock.synchronize { @periods.size - 1 }

  # Whether a request that began in this period may be answered by this version now.
  #: (String, since: Integer) -> bool
  def allowed?(version, since:) = @lock.synchronize { @periods.drop(since).flatten.include?(version) }
end

# A client of ShopReleases that looks at the version of each answer.
class VersionClient < KeptAliveClient
  PATHS = %w[/ /products /products/7 /products/7?postcode=SA48& /api/products.json /cart /up].freeze

  #: (untyped, Versions) -> void
  def initialize(server, versions)
    super(server)
    @versions = versions
  end

  #: () -> void
  def ask
    @period = @versions.period
    super
  end

  private

  def path = PATHS[@number % PATHS.size]

  def check(head, _body, query)
    raise Unanswered, "the answer of another request" unless head[/^x-query: (\S+)/, 1].end_with?(query)

    version = head[/^x-version: (\S+)/, 1]
    raise Unanswered, "#{version} after the rollout" unless @versions.allowed?(version, since: @period)
  end
end
