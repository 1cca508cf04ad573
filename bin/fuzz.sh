# Sourced by ../viaduct: runs the fuzz targets one after the other with Jazzer. The targets are the
# classes …Fuzz in the modules' tests; Jazzer calls their @FuzzTest through JUnit. Needs launch.sh.
# shellcheck shell=bash disable=SC2154

fuzz_usage() {
	cat <<-'X'
		usage: viaduct fuzz [--seconds N] [--target NAME] [--keep] [--list]

		  --seconds N    duration for each target (60)
		  --target NAME  run only this target, for example PeerFuzz; may be repeated
		  --keep         add inputs that reached new code to the corpus in the sources, up to 100 lines
		  --list         list the targets

		An input that breaks a rule is written to build/fuzz/NAME/crash-…; the exit code is then 70.
	X
}

fuzz() {
	local seconds=60 keep='' only=() source name failed=0
	while [ $# -gt 0 ]; do
		case $1 in
		--seconds) seconds=${2:-}; shift 2 || die 64 "--seconds needs a number" ;;
		--target) only+=("${2:-}"); shift 2 || die 64 "--target needs a name" ;;
		--keep) keep=1; shift ;;
		--list) fuzz_targets | sed 's:.*/::; s:\.java$::'; return ;;
		-h | --help) fuzz_usage; return ;;
		*) die 64 "unknown option '$1'; try: viaduct fuzz --help" ;;
		esac
	done
	[[ $seconds =~ ^[1-9][0-9]*$ ]] || die 64 "--seconds must be a whole number of at least 1, got '$seconds'"
	for name in "${only[@]}"; do
		fuzz_targets | grep "/$name\.java$" >/dev/null || die 64 "unknown target '$name'; try: viaduct fuzz --list"
	done
	find_java
	# one reactor build, so that no module must be installed
	[ -n "${VIADUCT_BUILT:-}" ] || maven -q -DskipTests -Dspotless.check.skip=true test-compile \
		dependency:build-classpath -Dmdep.outputFile=target/fuzz.classpath -Dmdep.includeScope=test ||
		die 70 "the build failed; its last lines are above"
	printf '%-24s %10s %8s %8s %8s  %s\n' target inputs per-s cover corpus result
	while read -r source; do
		name=$(basename "$source" .java)
		[ ${#only[@]} = 0 ] || [[ " ${only[*]} " == *" $name "* ]] || continue
		fuzz_target "$source" "$name" || failed=1
	done < <(fuzz_targets)
	[ "$failed" = 0 ] || die 70 "at least one target has broken its rule: see the inputs build/fuzz/*/crash-* and the logs build/fuzz/*.log"
}

fuzz_targets() {
	find "$root" -path '*/src/test/java/*Fuzz.java' | sort
}

fuzz_target() { # source file, simple name
	local module=${1%%/src/test/java/*} class=${1#*/src/test/java/} work=$root/build/fuzz/$2 status=0 java
	class=${class%.java}
	class=${class//\//.}
	rm -rf "$work" "$work.log"
	mkdir -p "$work/found"
	java=("$JAVA_HOME/bin/java" --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow -XX:+EnableDynamicAgentLoading
		-XX:-UsePerfData -Xmx1g -XX:+UseSerialGC -Dio.netty.leakDetection.level=disabled
		-Djunit.jupiter.execution.timeout.mode=disabled # a target runs as long as it is told to
		-Dlogback.configurationFile=io/viaduct/fuzzing/silent.xml
		-cp "$module/target/test-classes:$module/target/classes:$(cat "$module/target/fuzz.classpath")")
	setpriv --pdeathsig KILL nice -n 10 "${java[@]}" com.code_intelligence.jazzer.Jazzer --target_class="$class" \
		--instrumentation_includes='io.viaduct.**' --custom_hook_includes='io.viaduct.**' --reproducer_path="$work" \
		-artifact_prefix="$work/" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=3000 -print_final_stats=1 \
		"$work/found" >"$work.log" 2>&1 || status=$?
	# the last line of the fuzzer's counters: "#12345 DONE cov: 210 ft: 480 corp: 31/2Kb lim: …"
	awk -v name="$2" -v status="$status" -v seconds="$seconds" '
		/^#[0-9]+.* cov: / { for (i = 1; i < NF; i++) { if ($i == "cov:") cover = $(i + 1); if ($i == "corp:") corpus = $(i + 1) } }
		/^stat::number_of_executed_units/ { inputs = $2 }
		END { sub(/\/.*/, "", corpus)
			printf "%-24s %10d %8d %8d %8d  %s\n", name, inputs, inputs / seconds, cover, corpus, status == 0 ? "holds" : "BROKEN, see build/fuzz/" name ".log" }' "$work.log"
	if [ "$status" = 0 ] && [ -n "$keep" ]; then
		local file=${1%.java}.hex
		file=${file/src\/test\/java/src\/test\/resources}
		"${java[@]}" io.viaduct.fuzzing.CorpusFile "$work/found" "$file" >>"$work.log" 2>&1
	fi
	return "$status"
}
