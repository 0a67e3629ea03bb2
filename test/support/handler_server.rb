# frozen_string_literal: true

require_relative "server"

# A server that `rackup` or `rails server` starts. It finds its configuration in config/coppice.rb, as a user's does.
class HandlerServer < Server
  # program: the command with its flags. Other options as of Server.
  def initialize(program:, **options)
    super(**options)
    @program = program
  end

  def start
    FileUtils.mkdir_p(File.join(@directory, "config"))
    File.write(File.join(@directory, "config.ru"), @app) if @app
    File.write(File.join(@directory, "config/coppice.rb"), "#{listen}\n#{@config}")
    @pid = Process.spawn(@env, *@program, chdir: @directory, %i[out err] => path("log"), in: File::NULL)
    wait_until_ready if @wait_until_ready
  end

  # Whether the process that was started has become a monitor, which has a mold.
  def monitor? = rows(:mold).size == 1
end
