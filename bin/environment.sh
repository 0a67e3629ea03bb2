# shellcheck shell=bash
# Sourced by the scripts beside it. Tells Bundler to keep everything inside the project (vendor/bundle has a folder
# for each Ruby version), to leave Gemfile.lock alone, and to ask nothing of the user's own configuration.
# COPPICE_RACK=2.2 takes that Rack instead of the newest: one of those in gemfiles/. With --help as its first argument a
# script prints the comment at its top, and nothing else.
if [ "${1-}" = --help ]; then
  sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
  exit
fi

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

export BUNDLE_GEMFILE=$root/Gemfile
[ -z "${COPPICE_RACK:-}" ] || BUNDLE_GEMFILE=$root/gemfiles/rack-$COPPICE_RACK.gemfile
export BUNDLE_PATH=$root/vendor/bundle
export BUNDLE_USER_HOME=$root/tmp/bundler
export BUNDLE_FROZEN=true
# Empty where the caller wants the linters as well. Groups that another application has left in the shell would do the
# same, and have everything installed anew.
export BUNDLE_WITHOUT=${BUNDLE_WITHOUT-lint}
[[ $BUNDLE_WITHOUT =~ ^((lint|browser|compatibility)(:|$))*$ ]] || BUNDLE_WITHOUT=lint
export BUNDLE_SILENCE_ROOT_WARNING=1
export MAKEFLAGS=${MAKEFLAGS:--j$(getconf _NPROCESSORS_ONLN)} # C extensions are compiled on all processors
export BUNDLE_TIMEOUT=60 BUNDLE_RETRY=10 # of downloads
export LANG=${LANG:-C.UTF-8} # else Ruby takes every text for ASCII
unset BUNDLER_VERSION BUNDLE_LOCKFILE BUNDLE_WITH BUNDLE_ONLY RUBYLIB
