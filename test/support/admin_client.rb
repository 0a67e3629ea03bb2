# frozen_string_literal: true

require "json"
require "socket"
require_relative "one_shot_client"

# Asks a server's observer, by a path or a port of 127.0.0.1.
class AdminClient
  include OneShotClient

  def initialize(place)
    @place = place
  end

  def request(verb, target, headers = {}, body = nil)
    super(verb, target, { "Host" => "localhost" }.merge(headers), body)
  end

  def json(target) = JSON.parse(get(target).body, symbolize_names: true)
  def connect = @place.is_a?(Integer) ? TCPSocket.new("127.0.0.1", @place) : UNIXSocket.new(@place)
end
