# frozen_string_literal: true

require "open3"

# Has systemd read units, for test classes. Skips the test where systemd-analyze is not installed.
module SystemdUnits
  # units: the text of each by its file's name. A program that they name need not be installed: env stands in for it.
  #: (Hash[String, String]) -> void
  def assert_units(units)
    with_tmpdir do |folder|
      paths = units.map do |name, text|
        File.join(folder, name).tap { |path| File.write(path, text.sub("/usr/bin/bundle", "/usr/bin/env")) }
      end
      output, status = Open3.capture2e("systemd-analyze", "verify", "--man=no", *paths)

      assert_predicate status, :success?, output
      assert_empty output.lines.grep(/shop/)
    rescue Errno::ENOENT
      skip "there is no systemd-analyze"
    end
  end
end
