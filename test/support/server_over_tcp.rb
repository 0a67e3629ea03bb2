# frozen_string_literal: true

require_relative "server"

# A real server that is reached over TCP, at a port that the kernel chose and that the server itself wrote to its
# folder.
class ServerOverTcp < Server
  ANNOUNCE = <<~'RUBY'
    after_monitor_ready do |server|
      File.write("#{__dir__}/listeners.new", server.listener_names.join("\n"))
      File.rename("#{__dir__}/listeners.new", "#{__dir__}/listeners")
    end
  RUBY

  # host: a numeric address; listen: options of its listener; others as of Server.
  #: (?host: String, ?listen: Hash[Symbol, untyped], ?config: String, **untyped) -> void
  def initialize(host: "127.0.0.1", listen: {}, config: "", **options)
    @host = host
    address = "#{host.include?(':') ? "[#{host}]" : host}:0"
    super(config: "#{ANNOUNCE}listen #{address.inspect}, **#{listen.inspect}\n#{config}", **options)
  end

  #: () -> TCPSocket
  def connect = TCPSocket.new(@host, port)

  #: () -> Integer
  def port = ports.first

  # The ports of all its listeners, in the order of the configuration.
  #: () -> Array[Integer]
  def ports
    @ports ||= wait { File.exist?(path("listeners")) } &&
               File.read(path("listeners")).scan(/:(\d+)$/).flatten.map(&:to_i)
  end
end
