# Sourced by ../viaduct and by the service scripts: finds Java, and builds the jars if sources are
# newer. Needs $root. Exit codes are those of sysexits.h.
# shellcheck shell=bash disable=SC2154

java_wanted=25

die() { # exit code, one line with the problem and the remedy
	echo "viaduct: $2" >&2
	exit "$1"
}

version() { sed -n 's:.*<artifactId>viaduct</artifactId><version>\(.*\)</version>.*:\1:p
	/<artifactId>viaduct<\/artifactId>/{n;s:.*<version>\(.*\)</version>.*:\1:p;}' "$root/pom.xml" | head -n 1; }

java_version() { # prints the version of a Java home, from its release file or from java -version; empty if there is no Java
	[ -x "$1/bin/java" ] || return 0
	if [ -r "$1/release" ]; then
		sed -n 's/^JAVA_VERSION="\(.*\)"/\1/p' "$1/release"
	else
		"$1/bin/java" -version 2>&1 | sed -n 's/.* version "\([^"]*\)".*/\1/p'
	fi
}

java_fits() { # succeeds for a full JDK of the wanted version or newer
	local found
	found=$(java_version "$1")
	found=${found%%[.+-]*}
	[ -n "$found" ] && [ "$found" -ge "$java_wanted" ] 2>/dev/null && [ -x "$1/bin/javac" ]
}

find_java() { # sets and exports JAVA_HOME
	local candidate on_path
	on_path=$(readlink -f "$(command -v java || true)" 2>/dev/null || true)
	for candidate in "${JAVA_HOME:-}" /usr/lib/jvm/*"$java_wanted"* "${SDKMAN_DIR:-${HOME:-/root}/.sdkman}"/candidates/java/*"$java_wanted"* \
		/opt/*jdk*"$java_wanted"* /opt/java* "${HOME:-/root}"/.jdks/*"$java_wanted"* "${on_path%/bin/java}"; do
		if [ -n "$candidate" ] && java_fits "$candidate"; then
			export JAVA_HOME=$candidate
			return
		fi
	done
	die 69 "no JDK $java_wanted or newer found (JAVA_HOME, /usr/lib/jvm, SDKMAN, /opt, PATH): install one, for example 'apt-get install temurin-25-jdk' or 'sdk install java 25-tem', or set JAVA_HOME"
}

maven() { # runs the Maven wrapper; a user without a writable home gets one inside the clone
	if [ ! -w "${HOME:-/nonexistent}" ]; then
		mkdir -p "$root/build/home"
		export HOME=$root/build/home
	fi
	# Java takes the home from the user database, not from HOME
	[ "$HOME" = "$(getent passwd "$(id -u)" | cut -d: -f6)" ] || export MAVEN_OPTS="${MAVEN_OPTS:-} -Duser.home=$HOME"
	local dying=() # Maven ends with this shell, so that a killed launcher leaves no build running
	! setpriv -V >/dev/null 2>&1 || dying=(setpriv --pdeathsig TERM)
	(
		cd "$root" || exit
		export MAVEN_OPTS="${MAVEN_OPTS:-} --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow -XX:-UsePerfData" # PerfData would write a file to /tmp
		exec "${dying[@]}" ./mvnw -B "$@"
	)
}

stale() { # prints the first source that is newer than the last build, or "never built"; nothing if the build is current
	local stamp=$root/build/built
	[ -e "$stamp" ] || { echo "never built"; return; }
	find "$root/pom.xml" "$root"/{,libs/,lab/}*/pom.xml "$root"/{,libs/,lab/}*/src/main -newer "$stamp" -print -quit
}

build() { # builds the jars of all modules if a source is newer
	find_java
	[ -z "${VIADUCT_BUILT:-}" ] || return 0 # set by the test suite, which has built already
	[ -n "$(stale)" ] || return 0
	echo "viaduct: building ($(stale))" >&2
	mkdir -p "$root/build"
	: >"$root/build/building"
	local status=0
	maven -q -DskipTests -Dspotless.check.skip=true package >&2 || status=$?
	if [ "$status" != 0 ]; then
		rm -f "$root/build/building"
		[ "$status" -lt 128 ] || exit "$status" # Ctrl-C
		die 70 "the build failed; its last lines are above"
	fi
	mv "$root/build/building" "$root/build/built"
}

untrained() { # succeeds if agent or SNAPT has no start cache yet
	local module
	[ -z "${VIADUCT_BUILT:-}" ] || return 1 # the test suite needs no start cache
	# shellcheck source=bin/runtime.sh
	. "$root/bin/runtime.sh"
	for module in cnapt-agent snapt-server; do
		[ -r "$root/build/start/$(start_cache "$module" "$root/$module/target/$module-$(version).jar")" ] || return 0
	done
	return 1
}

learning() { # prints --train for a demonstration with --once if a start cache is missing
	[[ " $* " != *" --once "* ]] || ! untrained || echo --train
}
