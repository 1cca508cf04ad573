# Sourced by ../viaduct: the benchmarks per stage. They need no laboratory. Needs launch.sh.
# shellcheck shell=bash disable=SC2154

stages() { # options go to the command
	exec setpriv --pdeathsig KILL "$JAVA_HOME/bin/java" --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow \
		-XX:-UsePerfData -cp "$root/stages/target/stages-$(version).jar:$root/stages/target/lib/*" \
		io.viaduct.stages.StagesCommand --root "$root" "$@"
}
