# frozen_string_literal: true

require "coppice/roles"

module Coppice
  class Monitor
    # What the monitor has for single kinds of processes alone: the classes Supervision in the folders of their roles,
    # which are decisions like any other.
    module RoleSupervision
      ALL = Roles::TABLE.select(&:supervision).to_h do |role|
        require "coppice/#{role.name}/supervision"
        [role.name, Coppice.const_get(role.class_name)::Supervision]
      end.freeze
    end
  end
end
