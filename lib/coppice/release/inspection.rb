# frozen_string_literal: true

# The program of a process that ReleaseCheck starts in a release's directory, with that release's Ruby and variables:
# whether the bundle is complete, whether its Coppice is the server's, and whether the configuration can be read. It
# writes a Hash to a pipe. The server passes it as a text: it must run when the files of the first release are gone, and
# before any file of another Coppice is loaded. So it uses nothing of Coppice until it knows which one it is.
#
# Arguments: the descriptor of the pipe, the server's version of Coppice, its executable, the Ruby version that the
# release asks for or an empty one, then the flags of the server.

answer = IO.for_fd(Integer(ARGV.shift, 10), "wb")
answer.close_on_exec = true
version, executable, wanted_ruby = ARGV.shift(3)

begin
  unless RUBY_VERSION.start_with?(wanted_ruby)
    raise "#{Dir.pwd} asks for Ruby #{wanted_ruby} (.ruby-version), but `ruby` is #{RUBY_VERSION} there: install it, " \
          "or put it first in the PATH of the server"
  end

  gemfile = ENV.fetch("BUNDLE_GEMFILE", nil)
  if gemfile
    raise "there is no #{gemfile}: the running release has a Gemfile" unless File.file?(gemfile)

    require "bundler/setup"
  end
  bundled = Gem.loaded_specs["coppice"] if defined?(Gem)
  if bundled && bundled.version.to_s != version
    raise "its bundle has Coppice #{bundled.version}, and this server is #{version}: start a new server on the same " \
          "sockets, then stop this one (docs/deploys.md, Another version of Coppice)"
  end
  executable = File.join(bundled.full_gem_path, "exe", "coppice") if bundled
  raise "there is no #{executable}" unless File.file?(executable)

  $LOAD_PATH.unshift(File.expand_path("../lib", File.dirname(executable)))
  require "coppice"
  require "coppice/config/loader"
  require "coppice/state"
  settings = Coppice::Config::Loader.new(arguments: ARGV, environment: ENV, directory: Dir.pwd, settled: true).load
  rackup = File.expand_path(settings.rackup)
  raise "there is no #{rackup}" unless File.file?(rackup)

  answer.write(Marshal.dump({ executable: executable, ruby_version: RUBY_VERSION,
                              interpreter: Coppice::State::INTERPRETER }))
rescue ScriptError, StandardError => error # whatever Bundler raises for the bundle, and Ruby for the files
  name = error.class.name
  # The reason is without what may tell a secret: Coppice's own errors know it, and this program's have none.
  message, reason = if name.start_with?("Coppice::") then [error.message, error.reason]
                    elsif error.instance_of?(RuntimeError) then [error.message, error.message]
                    else ["#{name}: #{error.message.scrub("?").strip}", name]
                    end
  message, reason = [message, reason].map { |text| text.scrub("?").strip.gsub(/\s*\n\s*/, "; ")[0, 1000] }
  answer.write(Marshal.dump({ error: message, reason: reason }))
end
