# frozen_string_literal: true

require "socket"

# What settings listen on, for the tests of configurations.
module ListenedAddresses
  private

  def names(settings) = settings.listen.map(&:to_s)

  # The addresses of a port of localhost.
  def local(port)
    ipv6 = Socket.ip_address_list.any?(&:ipv6_loopback?)
    ["127.0.0.1:#{port}", *("[::1]:#{port}" if ipv6)]
  end
end
