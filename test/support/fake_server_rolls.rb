# frozen_string_literal: true

# Rolls of a server that has no processes: for tests to include.
module FakeServerRolls
  # The commit of a roll to this directory.
  def rolled_server(directory = "/releases/2", **settings)
    settled_server(**settings).tap do |server|
      roll(server, directory)
      run_until(server) { server.roster.release.directory == directory }
    end
  end

  def roll(server, directory) = server.supervision.rolls.roll(directory, asked_by: "test")
  def roll_back(server) = server.supervision.rolls.rollback(asked_by: "test")
  def releases_of(handles) = handles.map { |handle| handle.release.number }.uniq

  # Until the first worker of the new release is ready; not one turn later.
  def run_until_trial_is_ready(server)
    run_until(server) { server.roster.trial }
    trial = server.roster.trial
    server.system.step(server.process_of(server.roster.candidate)) # forks
    3.times { server.system.processes.values.last.then { |process| server.system.step(process) } }
    trial
  end
end
