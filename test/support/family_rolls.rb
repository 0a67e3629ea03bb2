# frozen_string_literal: true

# Rolls of a family that has no processes: for tests to include.
module FamilyRolls
  # The commit of a roll to this directory.
  def rolled_family(directory = "/releases/2", **settings)
    settled_family(**settings).tap do |family|
      roll(family, directory)
      run_until(family) { family.roster.release.directory == directory }
    end
  end

  def roll(family, directory) = family.supervision.rolls.roll(directory, asked_by: "test")
  def roll_back(family) = family.supervision.rolls.rollback(asked_by: "test")
  def releases_of(handles) = handles.map { |handle| handle.release.number }.uniq

  # Until the first worker of the new release is ready; not one turn later.
  def run_until_trial_is_ready(family)
    run_until(family) { family.roster.trial }
    trial = family.roster.trial
    family.system.step(family.process_of(family.roster.candidate)) # forks
    3.times { family.system.processes.values.last.then { |process| family.system.step(process) } }
    trial
  end
end
