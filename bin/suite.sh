# Sourced by ../viaduct: runs the whole test suite, and prints its results again at the end. Needs launch.sh, programs.sh.
# shellcheck shell=bash disable=SC2154

suite() { # options: passed to Maven
	local log=$root/build/test.log status=0
	find_java
	install_test_programs
	mkdir -p "$root/build"
	: >"$root/build/building"
	: >"$root/build/testing"
	# Two modules at a time, because most tests wait for timers, databases and processes.
	maven verify -T2 -Dsurefire.rerunFailingTestsCount=1 "$@" 2>&1 | tee "$log" || status=$?
	[ "$status" != 0 ] || mv "$root/build/building" "$root/build/built"
	closing_lines
	skip_reasons
	flaky_tests
	return "$status"
}

screenshots() { # takes pictures of each page with a month of generated data; the README shows three of them
	local pictures=$root/lab/testbed/target/screenshots
	pages_test ScreenshotsTest -Dpages.schemes=LIGHT,DARK
	mkdir -p "$root/docs/images"
	cp "$pictures/home-1440-light.png" "$root/docs/images/home.png"
	cp "$pictures/charge-1440-light.png" "$root/docs/images/charge.png"
	cp "$pictures/charges-1440-dark.png" "$root/docs/images/charges.png"
	echo "viaduct: wrote home.png, charge.png and charges.png to docs/images/, and all pages to $pictures/"
}

pages_bench() { # pages | viewers [properties of the JVM, such as -Dviewers=500]
	local result
	case $1 in
	pages)
		result=pages.txt
		pages_test FirstContentTest -Dpages.charges=1000000 -Dpages.visits=9 "${@:2}"
		;;
	viewers)
		result=viewers.txt
		pages_test LiveViewersTest -Dviewers=500 -Dviewers.seconds=60 "${@:2}"
		;;
	esac
	cat "$root/lab/testbed/target/$result"
}

pages_test() { # class, properties: a test with billing, its database and the packaged pages
	find_java
	install_test_programs
	# The second call builds testbed alone: it finds the other modules in a repository of this directory.
	local own=("-Dmaven.repo.local=$root/build/repository" "-Dmaven.repo.local.tail=$HOME/.m2/repository")
	maven -q -pl :testbed -am -DskipTests install "${own[@]}"
	maven -q -pl :testbed surefire:test@side-by-side "-Dtest=$1" "${own[@]}" "${@:2}"
}

reports() { # module directory: prints the surefire reports of this run, NUL between them
	find "$1"/target/surefire-reports -name 'TEST-*.xml' -newer "$root/build/testing" -print0 2>/dev/null || true
}

closing_lines() { # prints one line per module with the numbers of its reports, then the sum
	local module
	echo
	echo "viaduct: test summary"
	# Maven's own lines of modules that run at the same time are mixed.
	for module in $(sed -n 's:.*<module>\(.*\)</module>.*:\1:p' "$root/pom.xml"); do
		reports "$root/$module" | xargs -0 -r grep -h '^<testsuite ' |
			awk -v module="$(sed -n 's:.*<name>\(Viaduct .*\)</name>.*:\1:p' "$root/$module/pom.xml" | head -n 1)" '
				function of(name) { return match($0, " " name "=\"[0-9]+") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3) : 0 }
				{ run += of("tests"); failed += of("failures"); errors += of("errors"); skipped += of("skipped") }
				END { if (NR) printf "  %-34s run %d, failures %d, errors %d, skipped %d\n", module, run, failed, errors, skipped }'
	done | awk '
		{ print; gsub(/,/, "") }
		{ bad += $(NF - 4) + $(NF - 2); gone += $NF; good += $(NF - 6) - $(NF - 4) - $(NF - 2) - $NF }
		END { printf "%d passed, %d failed, %d skipped\n", good, bad, gone }'
}

skip_reasons() { # prints each reason for which this run skipped tests, with the number of tests
	local module
	for module in "$root"/{,libs/,lab/}*/; do reports "$module"; done |
		xargs -0 -r sed -n '/<skipped.*due to: *$/{N;s/\n//;} # AssertJ has the reason on the next line
			s/&#10;/ /g
			s/.*<skipped.*TestAbortedException: \(Assumption failed: \|assumption was not met due to: *\)\{0,1\}\(\[\{0,1\}skipped: \)\{0,1\}\([^]]*\).*/\3/p
			s/.*<skipped message="\(assumption was not met due to: *\[\)\{0,1\}\(skipped: \)\{0,1\}\([^]"]*\).*/\3/p' |
		sort | uniq -c | sort -rn | sed 's/^ *\([0-9]*\) /  \1 skipped: /' || true
}

flaky_tests() { # prints each test of this run that failed and then passed when it was repeated
	local module
	for module in "$root"/{,libs/,lab/}*/; do reports "$module"; done | xargs -0 -r awk '
		function of(name) { return match($0, " " name "=\"[^\"]*") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3) : "" }
		/<testcase / { test = of("classname") "." of("name") }
		/<flaky(Failure|Error) / {
			message = of("message"); gsub(/&#10;/, " ", message); gsub(/&lt;/, "<", message); gsub(/&gt;/, ">", message)
			if (test != last) printf "  flaky: %s failed once and passed when repeated: %.160s\n", test, message
			last = test
		}'
}

nightly() { # [--packets N] [--seed N]: runs the long simulations of the tunnel, each in its own process
	local packets=10000000 seed=() status=0 tests=SimulatedNetworkProperties,HistorySimulationProperties,SeveralPathsProperties
	while [ $# -gt 0 ]; do
		case $1 in
		--packets) packets=${2:-}; shift 2 || die 64 "--packets needs a number" ;;
		--seed) seed=("-Dviaduct.simulation.seed=${2:-}"); shift 2 || die 64 "--seed needs a number" ;;
		*) die 64 "unknown option '$1'; usage: viaduct test --nightly [--packets N] [--seed N]" ;;
		esac
	done
	# With fewer packets the simulations would not reach all events that they require.
	[[ $packets =~ ^[1-9][0-9]{5,17}$ ]] || die 64 "--packets must be a whole number of at least 100000 (the suite's value), got '$packets'"
	find_java
	maven -q -pl :tunnel-protocol -am test -Dtest="$tests" -Dsurefire.failIfNoSpecifiedTests=false -DforkCount=2 -DreuseForks=false \
		-Dviaduct.simulation.packets="$packets" "${seed[@]}" || status=$?
	[ "$status" = 0 ] || die 70 "a simulation has failed: repeat it with viaduct test --nightly --seed N, with the seed that it has printed"
}
