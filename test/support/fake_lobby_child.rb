# frozen_string_literal: true

require "coppice/control/lobby_channel"
require "coppice/monitor/lobby/seat"

# The make-believe lobby of FakeSystem: its keeper and its loop share one end of a channel, and each makes the other
# again when it is lost.
class FakeLobbyChild
  Packet = Coppice::Control::LobbyPacket

  # In the place of LobbySpawner.
  Spawner = Struct.new(:system) do
    def memory = Coppice::Monitor::LobbyMemory.new
    def seat(number) = Coppice::Monitor::Seat.new(number: number)
    def spawn(channel, **) = system.spawn_lobby(channel)

    def introduce(lobby)
      system.refuse_if_mute(:lobby)
      system.lobby.row = lobby.row
      lobby.channel.send(Packet.of("start", 1))
    end
  end

  attr_reader :seats     #: Hash[Integer, Array] -- those that the loop knows
  attr_reader :heard     #: Array[Array[String]] -- the words of all packets that were read
  attr_reader :accepting #: bool -- whether it accepts clients
  attr_accessor :row     #: Row -- on the board: the loop notes the time there

  def initialize(system, channel)
    @system = system
    @channel = channel
    @seats = {}
    @heard = []
    @parts = { keeper: system.bear_part(:keeper, self, channel) }
  end

  def keeper = @system.processes[@parts[:keeper]]
  def loop = @system.processes[@parts[:loop]]

  # The loop reads all packets, and acts on none.
  def swallow = [@channel.queue, @heard].each(&:clear)

  # One of its processes does the next thing that it would do.
  def step(process)
    tell("registered", process.role, process.pid) unless process.stage == :ready
    first = process.stage != :ready
    process.stage = :ready
    return tell("ready") if first && process.role == :loop

    process.role == :keeper ? keep : serve
  end

  private

  # The keeper reads nothing.
  def keep
    loop || make(:loop)
    end_all if @channel.peer.closed?
  end

  def make(part)
    @parts[part] = @system.bear_part(part, self, @channel.dup)
    loop.row = row if part == :loop
  end

  def serve
    make(:keeper) unless keeper
    packet = @channel.receive
    return if packet == :empty
    return end_all if packet == :closed

    obey(packet.message)
  end

  def obey(packet)
    @heard << packet.words
    case packet.words
    in ["seat", number] then @seats[number.to_i] = packet.fields
    in ["gone", number, *] then @seats.delete(number.to_i)
    in ["accept"] then @accepting = true
    in ["drain"] | ["stop"] then end_all
    else nil
    end
  end

  def end_all = [keeper, loop].compact.each { |process| @system.die(process, FakeSystem::Status.new(0, nil)) }

  def tell(*words) = @channel.send(Packet.of(*words))
end
